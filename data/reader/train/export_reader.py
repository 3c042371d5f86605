"""Make a reader's files of a trained model: int8 ONNX, heads and tokenizer.

    python data/reader/train/export_reader.py WORK/final.pt -o data/reader

There are two encoders: the trained one, which reads both sentences of a pair together, and the
base as it was, which reads each sentence alone. Training leaves the embeddings as they are, so
that both share ``embeddings.onnx``; ``encoder.onnx`` and ``sentences.onnx`` hold their layers.

They are quantised dynamically, weights to 7 bits: then the sums of processors without VNNI
instructions do not overflow, and all x86-64 processors multiply alike.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx.utils import Extractor
from onnxruntime.quantization import quantize_dynamic
from train_reader import KINDS, Reader, base_folder
from transformers import AutoModel

HEADS = ("boundary", "joint", "align", "label", "score", "rating")


class Encoder(torch.nn.Module):
    """An encoder as it is run, without padding: the states of the pieces, and their mean."""

    def __init__(self, encoder: torch.nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        states = self.encoder(input_ids=ids, token_type_ids=types).last_hidden_state
        return states, states.mean(1)


def base() -> torch.nn.Module:
    """The encoder as it was before it was trained."""
    return AutoModel.from_pretrained(base_folder(), attn_implementation="eager").eval()


def load(file: Path) -> Reader:
    """A model that ``train_reader.py`` wrote."""
    model = Reader(base())
    model.load_state_dict(torch.load(file, weights_only=True)["model"])
    return model.eval()


def optimise(source: Path, target: Path) -> None:
    """Write the graph as ONNX Runtime would optimise it on any machine."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def graph(encoder: torch.nn.Module, *, int8: bool) -> onnx.ModelProto:
    """The graph of an encoder, in which the embedded pieces are called ``embedded``."""
    with tempfile.TemporaryDirectory() as work:
        plain, small, best = (Path(work, f"{name}.onnx") for name in ("plain", "small", "best"))
        ids = torch.tensor([[101, 2023, 102, 2008, 102]])
        torch.onnx.export(
            Encoder(encoder),
            (ids, torch.tensor([[0, 0, 0, 1, 1]])),
            str(plain),
            input_names=["ids", "types"],
            output_names=["states", "mean"],
            dynamic_axes={"ids": {1: "pieces"}, "types": {1: "pieces"}, "states": {1: "pieces"}},
            opset_version=17,
            dynamo=False,
        )
        if int8:
            quantize_dynamic(plain, small, per_channel=True, reduce_range=True)
        optimise(small if int8 else plain, best)
        found = onnx.load(best)
    nodes = found.graph.node
    embedded = next(node.output[0] for node in nodes if node.op_type == "LayerNormalization")
    for names in (names for node in nodes for names in (node.input, node.output)):
        names[:] = ["embedded" if name == embedded else name for name in names]
    shape = (1, "pieces", encoder.config.hidden_size)
    found.graph.value_info.append(
        onnx.helper.make_tensor_value_info("embedded", onnx.TensorProto.FLOAT, shape)
    )
    return found


def cut(source: onnx.ModelProto, given: list[str], wanted: str, target: Path) -> None:
    """Write the part of a graph that makes something of what is given."""
    onnx.save(Extractor(source).extract_model(given, [wanted]), target)


def export(file: Path, output: Path, *, int8: bool = True) -> None:
    """Write the files of a reader into a folder."""
    model, untrained = load(file), base()
    kept = zip(
        model.encoder.embeddings.parameters(), untrained.embeddings.parameters(), strict=True
    )
    if not all(torch.equal(own, other) for own, other in kept):
        raise ValueError(f"{file}: the embeddings are not those of the base")
    output.mkdir(parents=True, exist_ok=True)
    pairs, sentences = (graph(one, int8=int8) for one in (model.encoder, untrained))
    cut(pairs, ["ids", "types"], "embedded", output / "embeddings.onnx")
    cut(pairs, ["embedded"], "states", output / "encoder.onnx")
    cut(sentences, ["embedded"], "mean", output / "sentences.onnx")
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
