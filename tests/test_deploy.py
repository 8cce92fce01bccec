"""Holds settings, README and deploy/ in step with the code. No container engine is needed: files are parsed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from app.cli import application
from app.clients.github import auth
from app.config import SETTINGS, Settings
from app.core.events import EVENTS

COMES_BY_ITSELF = {"installation", "installation_repositories", "installation_target", "ping"}
"""Events that every App gets and none can subscribe to."""

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"


def env_example() -> dict[str, str]:
    lines = [line.removeprefix("#").strip() for line in (DEPLOY / "env.example").read_text().splitlines()]
    return dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))


def readme_settings() -> dict[str, str]:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| (.*?) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    return {name: default.strip("`") for name, _meaning, default in rows}


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def commands() -> set[str]:
    return set(get_command(application).commands)  # type: ignore[attr-defined]


def test_settings_readme_and_env_example_name_the_same_settings() -> None:
    names = [setting.name for setting in SETTINGS]
    assert list(readme_settings()) == names
    assert list(env_example()) == names


def test_defaults_are_told_as_they_are() -> None:
    told, example = readme_settings(), env_example()
    for setting in SETTINGS:
        assert told[setting.name] == (setting.default or ""), setting.name
        assert example[setting.name] == setting.default, setting.name


def test_the_manifest_subscribes_to_the_events_that_are_read_and_no_others() -> None:
    manifest = json.loads((DEPLOY / "github-app.json").read_text())
    assert set(manifest["default_events"]) == set(EVENTS) - COMES_BY_ITSELF


def test_the_manifest_asks_for_the_permissions_that_tokens_are_made_with_and_no_others() -> None:
    manifest = json.loads((DEPLOY / "github-app.json").read_text())
    used: dict[str, str] = {}
    for permissions in (auth.METADATA, auth.CONTENTS, auth.READ, auth.WRITE, auth.CHECKS):
        for name, level in permissions.items():
            used[name] = max(used.get(name, "read"), level)  # "write" sorts after "read"
    assert manifest["default_permissions"] == used


def test_the_untouched_example_is_read_without_complaint_but_is_not_enough_to_start() -> None:
    settings = Settings.from_environment(env_example())
    with pytest.raises(Exception, match="GITHUB_APP_ID"):
        settings.require_app()


def test_compose_publishes_the_web_process_alone_and_only_to_the_host_itself() -> None:
    services = compose()["services"]
    published = {name: service["ports"] for name, service in services.items() if service.get("ports")}
    assert list(published) == ["web"]
    assert all(port.startswith("127.0.0.1:") for port in published["web"])
    assert compose()["networks"]["inside"]["internal"] is True
    assert services["redis"]["networks"] == services["qdrant"]["networks"] == ["inside"]


def test_compose_sets_only_settings_that_exist_and_runs_commands_that_exist() -> None:
    names = {setting.name for setting in SETTINGS}
    for name in ("web", "worker"):
        service = compose()["services"][name]
        assert set(service["environment"]) <= names
        assert service["command"][0] in commands()
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]


def test_the_image_runs_as_nobody_and_starts_a_command_that_exists() -> None:
    lines = [
        line for line in (DEPLOY / "Dockerfile").read_text().splitlines() if line and not line.startswith(("#", " "))
    ]
    final = lines[max(i for i, line in enumerate(lines) if line.startswith("FROM")) :]
    assert next(line for line in final if line.startswith("USER")) == "USER coderag"
    assert json.loads(next(line for line in final if line.startswith("CMD"))[4:])[0] in commands()
    for line in lines:
        if line.startswith("COPY") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), line


def test_every_command_that_the_operator_is_told_to_type_exists() -> None:
    told = (DEPLOY / "README.md").read_text() + (ROOT / "README.md").read_text()
    used = set(re.findall(r"(?:^|[`/ ])coderag ([a-z]+)", told))
    assert used <= commands(), used - commands()
