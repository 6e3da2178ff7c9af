"""Two queues: one writes inputs, the other computes and reads. Events keep them apart where they must."""
import numpy

import pianola

SHAPE = (8, 64)


def main():
    """Runs eight inputs through a model, and compares with NumPy."""
    arrays = [numpy.full(SHAPE, value, numpy.int8) for value in range(-4, 4)]
    with pianola.manage_device(num_command_queues=2) as device:
        place = pianola.create_sharded_memory_config(SHAPE, device.core_grid, pianola.ShardStrategy.HEIGHT)
        taken, written = pianola.create_event(device), pianola.create_event(device)
        in_dram = pianola.allocate_tensor_on_device(SHAPE, pianola.int8, pianola.ROW_MAJOR_LAYOUT, device)
        pianola.record_event(0, taken)
        outputs = []
        for array in arrays:
            pianola.wait_for_event(1, taken)
            pianola.copy_host_to_device_tensor(pianola.from_numpy(array), in_dram, cq_id=1)
            pianola.record_event(1, written)
            pianola.wait_for_event(0, written)
            in_l1 = pianola.to_memory_config(in_dram, place)
            pianola.record_event(0, taken)
            outputs.append(pianola.abs(in_l1).cpu(blocking=False))
        for array, output in zip(arrays, outputs):
            assert (output.to_numpy() == numpy.abs(array)).all()
        print(f"{len(outputs)} outputs")


if __name__ == "__main__":
    main()
