"""pianola's pipeline under the name by which the public guides import theirs."""
from pianola import Pipeline, PipelineConfig, create_pipeline_from_config

__all__ = ["Pipeline", "PipelineConfig", "create_pipeline_from_config"]
