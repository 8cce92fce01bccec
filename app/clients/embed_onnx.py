"""Vectors from a local ONNX model by fastembed, the optional extra `onnx`; the model's files are fetched on first use."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.clients.embed_http import LONGEST_TEXT, PROBE, model_id, unit_rows
from app.core.errors import ConfigError

PREFIX = "onnx:"
"""Before the name of a model in EMBEDDINGS_MODEL."""
BATCH = 16
"""Texts a run: memory grows with the longest of them, to 1.6 GB at 32 texts of 512 tokens."""


class OnnxEmbedder:
    """An embedder (see `Embedder`) over one local model. One call at a time: a run takes all cores anyway."""

    def __init__(self, name: str) -> None:
        """Load the model, which may fetch it. Blocks; ConfigError without the extra, or for a model that cannot be had."""
        try:
            from fastembed import TextEmbedding
        except ImportError:
            raise ConfigError(
                f"EMBEDDINGS_MODEL {PREFIX}{name} needs the extra `onnx`: pip install 'coderag[onnx]'"
            ) from None
        try:
            self._model = TextEmbedding(model_name=name)
        except Exception as error:  # of the hub's client, of the runtime, or plain ValueError: fastembed promises none
            raise ConfigError(
                f"fastembed cannot load the model {name!r} of EMBEDDINGS_MODEL ({type(error).__name__})"
            ) from error
        self._lock = threading.Lock()
        self.dimension = len(next(iter(self._model.embed([PROBE]))))
        self.id = model_id(PREFIX + name, "", self.dimension)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder`."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        sent = [texts[place][:LONGEST_TEXT] for place in places]
        if sent:
            with self._lock:
                rows = list(self._model.embed(sent, batch_size=BATCH))
            vectors[places] = unit_rows(np.array(rows, dtype=np.float64))
        return vectors
