"""From training checkpoints to the directory that ``stanza.Pipeline(dir=...)`` reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from languages import PACKAGE, Language

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PROCESSORS", "pack", "write_resources"]

PROCESSORS = ("tokenize", "pos", "lemma")


def _half(value: object) -> object:
    """Cast every floating-point tensor to 16 bits; Stanza widens them when it loads."""
    if isinstance(value, torch.Tensor):
        return value.half() if value.is_floating_point() else value
    if isinstance(value, dict):
        return type(value)((key, _half(item)) for key, item in value.items())
    return value


def _portable(config: dict[str, Any]) -> dict[str, Any]:
    """Leave out what only says where the training files lay."""
    return {
        key: value
        for key, value in config.items()
        if not key.endswith(("_dir", "_file", "_name")) and not key.startswith("wandb")
    }


def pack(checkpoint: Path, language: Language, processor: str, out: Path) -> Path:
    """Write one model, with 16-bit weights and no paths, to its place under ``out``."""
    saved = torch.load(checkpoint, map_location="cpu", weights_only=True)
    saved["model"] = _half(saved["model"])
    saved["config"] = _portable(saved["config"])
    target = out / language.code / processor / f"{PACKAGE}.pt"
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.save(saved, target)
    return target


def write_resources(language: Language, out: Path) -> Path:
    """Add the language to ``resources.json``, the index that Stanza looks models up in."""
    path = out / "resources.json"
    index = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    entry: dict[str, Any] = {"lang_name": language.name}
    entry |= {processor: {PACKAGE: {}} for processor in PROCESSORS}
    entry["packages"] = {PACKAGE: dict.fromkeys(PROCESSORS, PACKAGE)}
    index[language.code] = entry
    path.write_text(json.dumps(index, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return path
