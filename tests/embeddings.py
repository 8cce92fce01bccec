"""A stand-in embeddings service on loopback: it holds models, refuses what real ones refuse, and fails when told to."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.clients.embed import StaticEmbedder

KEY = "sk-loopback-4f1d9e"
STATIC = StaticEmbedder()


@dataclass
class Embeddings:
    """The state of one service. Texts that share words have close vectors; each model has directions of its own.

    `fail` are answers given, in turn, before anything is looked at: (status, headers). `down` is a number of calls after
    which all get one status. `texts` are the texts of each
    request that was answered.
    """

    models: dict[str, int] = field(default_factory=lambda: {"code-embed": 64, "code-embed-large": 96})
    key: str = KEY
    most_inputs: int = 2048
    most_characters: int = 1_000_000
    reported: str = ""
    backwards: bool = False
    seconds: float = 0.0
    fail: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    down: tuple[int, int] | None = None
    texts: list[list[str]] = field(default_factory=list)
    calls: int = 0
    open: int = 0
    most_open: int = 0
    url: str = ""

    @property
    def seen(self) -> list[str]:
        return [text for texts in self.texts for text in texts]

    def fail_after(self, answers: int, status: int) -> None:
        """Give so many more answers, then refuse everything until `mend`."""
        self.down = (self.calls + answers, status)

    def mend(self) -> None:
        self.down = None

    async def answer(self, request: Request) -> Response:
        self.calls += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            if self.seconds:
                await asyncio.sleep(self.seconds)
            return self._answer(request, json.loads(await request.body()))
        finally:
            self.open -= 1

    def _answer(self, request: Request, body: dict[str, object]) -> Response:
        if self.fail:
            status, headers = self.fail.pop(0)
            return _error(status, "scripted failure", "scripted", headers)
        if self.down and self.calls > self.down[0]:
            return _error(self.down[1], "down", "down")
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return _error(401, f"Incorrect API key: {request.headers.get('authorization')}", "invalid_api_key")
        model, texts = body.get("model"), body.get("input")
        if model not in self.models:
            return _error(404, f"The model `{model}` does not exist", "model_not_found")
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            return _error(400, f"invalid input: {texts!r}", "invalid_request_error")
        if len(texts) > self.most_inputs:
            return _error(413, f"batch size {len(texts)} > maximum allowed batch size {self.most_inputs}", "Validation")
        if any(len(text) > self.most_characters for text in texts):
            return _error(400, f"maximum context length exceeded by {texts!r}", "invalid_request_error")
        self.texts.append(texts)
        return JSONResponse(self._vectors(str(model), texts))

    def _vectors(self, model: str, texts: list[str]) -> dict[str, object]:
        # 256 directions folded into fewer by signs of the model's own: words still meet, models do not.
        signs = np.random.default_rng(len(model)).choice([-1.0, 1.0], 256)
        dimension = self.models[model]
        folded = np.add.reduceat(STATIC.embed(texts) * signs, range(0, 256, -(-256 // dimension)), axis=1)
        rows = np.pad(folded, ((0, 0), (0, dimension - folded.shape[1]))) * 7.5  # not of length 1, as Ollama's
        data = [{"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(rows)]
        if self.backwards:
            data.reverse()
        used = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "model": self.reported or model, "data": data, "usage": used}


def _error(status: int, message: str, code: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "type": code, "code": code}}, status, headers)


@contextmanager
def embeddings_service(port: int = 0) -> Iterator[Embeddings]:
    """Serve on a thread of its own, since a client that blocks must not stop it."""
    state = Embeddings()
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    state.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    application = Starlette(routes=[Route("/v1/embeddings", state.answer, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(application, lifespan="off", log_config=None, access_log=False, ws="none"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
        listening.close()
