"""Make a reader's files of a trained model: int8 ONNX, heads and tokenizer.

    python data/reader/train/export_reader.py WORK/final.pt -o data/reader

The encoder is quantised dynamically, weights to 7 bits: then the sums of processors without
VNNI instructions do not overflow, and all x86-64 processors multiply alike.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import quantize_dynamic
from train_reader import KINDS, Reader, base_folder
from transformers import AutoModel

HEADS = ("boundary", "joint", "align", "label", "score", "rating")


class Encoder(torch.nn.Module):
    """The encoder as it is run: one pair, no padding."""

    def __init__(self, encoder: torch.nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        return self.encoder(input_ids=ids, token_type_ids=types).last_hidden_state


def load(file: Path) -> Reader:
    """A model that ``train_reader.py`` wrote."""
    model = Reader(AutoModel.from_pretrained(base_folder(), attn_implementation="eager"))
    model.load_state_dict(torch.load(file, weights_only=True)["model"])
    return model.eval()


def optimise(source: Path, target: Path) -> None:
    """Write the graph as ONNX Runtime would optimise it on any machine."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def export(file: Path, output: Path, *, int8: bool = True) -> None:
    """Write the files of a reader into a folder."""
    model = load(file)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        plain, small = Path(work, "plain.onnx"), Path(work, "small.onnx")
        ids = torch.tensor([[101, 2023, 102, 2008, 102]])
        torch.onnx.export(
            Encoder(model.encoder),
            (ids, torch.tensor([[0, 0, 0, 1, 1]])),
            str(plain),
            input_names=["ids", "types"],
            output_names=["states"],
            dynamic_axes={"ids": {1: "pieces"}, "types": {1: "pieces"}, "states": {1: "pieces"}},
            opset_version=17,
            dynamo=False,
        )
        if int8:
            quantize_dynamic(plain, small, per_channel=True, reduce_range=True)
        optimise(small if int8 else plain, output / "encoder.onnx")
    state = model.state_dict()
    # What kind of text it is, the reader is told in training only: it makes no difference.
    state["joint.weight"] = state["joint.weight"][:, : -len(KINDS)]
    heads = {
        name: value.numpy().astype(np.float16)
        for name, value in state.items()
        if name.split(".")[0] in HEADS
    }
    np.savez_compressed(output / "heads.npz", **heads)
    shutil.copyfile(base_folder() / "tokenizer.json", output / "tokenizer.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--fp32", action="store_true", help="do not quantise, to compare")
    options = parser.parse_args()
    logging.getLogger().setLevel(logging.ERROR)
    export(options.model, options.output, int8=not options.fp32)


if __name__ == "__main__":
    main()
