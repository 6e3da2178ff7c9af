#include "docs/examples/road_signs/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "docs/examples/road_signs/contact_sheet.h"
#include "docs/examples/road_signs/evaluate.h"
#include "docs/examples/road_signs/sample.h"
#include "pianola_host/files.h"

namespace pianola::sample {

namespace {

constexpr const char* kDescription =
    "Makes a small int8 road-sign classifier as a .tflite file, with test pictures, from nothing but a seed.\n"
    "\n"
    "Draws pictures of eight kinds of road sign, trains a small network on them, quantises it to int8 and writes\n"
    "DIR/road_signs.tflite. The same seed gives the same bytes on every machine. Takes about a quarter of a minute.";

constexpr const char* kFooter =
    "Files in DIR:\n"
    "  road_signs.tflite   the model: int8 [1,32,32,3] in, int8 [1,8] probabilities out\n"
    "  test_images.bin     256 pictures the training never saw, raw model inputs, one after the other\n"
    "  test_labels.bin     their true classes, one byte each\n"
    "  labels.txt          class names, one per line\n"
    "  sign_<k>.bin, .ppm  the first 8 of the pictures singly: as model input, and to look at\n"
    "\n"
    "Example:\n"
    "  pianola-sample --out signs --sheet signs.ppm\n"
    "  (capture DIR/road_signs.tflite with pianola, run it on DIR/test_images.bin, keep the outputs in outputs.bin)\n"
    "  pianola-sample evaluate --dir signs --outputs outputs.bin --require 95\n"
    "\n"
    "Exit codes: 0 done; 1 accuracy below --require; 2 wrong usage; 6 a file cannot be read or written, or its size\n"
    "does not fit.";

struct MakeArguments {
    std::string out;
    std::string sheet;
    TrainingPlan plan;
};

struct EvaluateArguments {
    std::string dir;
    std::string outputs;
    double require_percent{0.0};
    bool json{false};
};

void report(const TrainingPlan& plan, const Progress& progress) {
    constexpr double kHundred = 100.0;
    fmt::print(stderr, "step {:>5} of {}  loss {:.3f}  right {:>5.1f} %\n", progress.step, plan.steps, progress.loss,
               kHundred * progress.correct);
}

int make_files(const MakeArguments& arguments) {
    if (!arguments.sheet.empty()) {
        files::store_file(arguments.sheet, make_sheet(make_test_examples(arguments.plan.seed)));
        fmt::print(stderr, "wrote {}\n", arguments.sheet);
    }
    if (!arguments.out.empty()) {
        const Sample made =
            make_sample(arguments.plan, [&](const Progress& progress) { report(arguments.plan, progress); });
        store_sample(made, arguments.out);
        constexpr double kHundred = 100.0;
        fmt::print(stderr,
                   "wrote {}: model of {} bytes, {} parameters, {} multiply-accumulates\n"
                   "{} test pictures: float {:.2f} % right, int8 about {:.2f} % (estimate)\n",
                   arguments.out, made.model.size(), made.parameters, made.macs, made.test.size(),
                   kHundred * made.float_accuracy, kHundred * made.int8_estimate);
    }
    return kDone;
}

int judge_outputs(const EvaluateArguments& arguments) {
    const std::filesystem::path dir{arguments.dir};
    const Evaluation evaluation =
        evaluate(parse_class_names(files::load_file(dir / "labels.txt")), files::load_file(dir / "test_labels.bin"),
                 files::load_file(arguments.outputs));
    fmt::print("{}", arguments.json ? to_json(evaluation) : to_table(evaluation));
    if (evaluation.percent() < arguments.require_percent) {
        fmt::print(stderr, "pianola-sample: {:.2f} % is below the required {:.2f} %\n", evaluation.percent(),
                   arguments.require_percent);
        return kBelowRequired;
    }
    return kDone;
}

int run(int argc, const char* const* argv) {
    MakeArguments make_arguments;
    EvaluateArguments evaluate_arguments;
    CLI::App app{kDescription, "pianola-sample"};
    app.footer(kFooter);
    app.add_option("--out", make_arguments.out, "Make the model and its test pictures in this directory")
        ->type_name("DIR");
    app.add_option("--sheet", make_arguments.sheet,
                   "Draw 64 of the test pictures with their true classes on one page; needs no training")
        ->type_name("FILE.ppm");
    app.add_option("--seed", make_arguments.plan.seed, "Another seed makes other pictures and another model")
        ->capture_default_str();
    app.add_option("--steps", make_arguments.plan.steps, "Training steps; fewer are faster and less accurate")
        ->check(CLI::Range(1U, 1000000U))
        ->capture_default_str();
    CLI::App* judge = app.add_subcommand("evaluate", "Compare the outputs of a replay with the true classes");
    judge->add_option("--dir", evaluate_arguments.dir, "What --out made")->type_name("DIR")->required();
    judge
        ->add_option("--outputs", evaluate_arguments.outputs,
                     "Raw int8 outputs for all of test_images.bin, [pictures][classes]")
        ->type_name("FILE")
        ->required();
    judge
        ->add_option("--require", evaluate_arguments.require_percent,
                     "Exit with 1 where fewer than this percentage of the pictures are right")
        ->check(CLI::Range(0.0, 100.0))
        ->type_name("PERCENT");
    judge->add_flag("--json", evaluate_arguments.json, "Print JSON in place of the table");
    try {
        app.parse(argc, argv);
        if (!judge->parsed() && make_arguments.out.empty() && make_arguments.sheet.empty()) {
            throw CLI::RequiredError("--out DIR, --sheet FILE.ppm or evaluate");
        }
    } catch (const CLI::ParseError& error) {
        return (app.exit(error) == 0) ? kDone : kUsage;
    }
    return judge->parsed() ? judge_outputs(evaluate_arguments) : make_files(make_arguments);
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "pianola-sample: {}\n", error.what());
        return kFileTrouble;
    }
}

}  // namespace pianola::sample
