"""Pages for people who look at the sandbox in a browser: a file with numbered lines, a conversation. Everything shown is escaped."""

from __future__ import annotations

import html
import posixpath
import re
from urllib.parse import unquote

from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from app.sandbox import markdown, repository_git
from app.sandbox.host import Host, Request
from app.sandbox.state import Comment, Repository, Thread, User, iso

_BLOB = re.compile(r"/([^/]+/[^/]+)/(blob|raw)/([^/]+)/(.+)")
_THREAD = re.compile(r"/([^/]+/[^/]+)/(?:issues|pull)/([0-9]+)")
_REPOSITORY = re.compile(r"/([^/]+/[^/]+)/?")

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:62rem;padding:1rem 1.5rem;color:#1f2328;background:#fff}
a{color:#0969da;text-decoration:none}a:hover{text-decoration:underline}
pre,code,td.code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:13px}
code{background:#eff1f3;border-radius:4px;padding:.1em .3em}pre{background:#f6f8fa;border-radius:6px;overflow-x:auto;padding:.75rem}
pre code{background:none;padding:0}table{border-collapse:collapse}.comment td,.comment th{border:1px solid #d1d9e0;padding:.25rem .6rem}
table.file{width:100%}td.code{white-space:pre;width:100%}td.number{user-select:none;text-align:right;padding:0 1rem 0 .5rem}
td.number a{color:#59636e}tr:target,tr.marked{background:#fff8c5}
.comment{border:1px solid #d1d9e0;border-radius:6px;margin:1rem 0}.comment:target{border-color:#0969da}
.comment>header{background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;color:#59636e;padding:.4rem .8rem}
.comment>div{padding:.2rem .8rem;overflow-x:auto}.state{color:#59636e;font-weight:normal}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#f0f6fc}a{color:#4493f8}code{background:#262c36}
pre,.comment>header{background:#151b23}.comment,.comment>header,.comment td,.comment th{border-color:#3d444d}
tr:target,tr.marked{background:#3a3010}}
"""

# A range of lines (#L10-L20) is no element's id, so the browser needs help to show it.
_SCRIPT = """
const marks=/^#L(\\d+)(?:-L(\\d+))?$/.exec(location.hash);
if(marks){const last=+(marks[2]||marks[1]);
for(let n=+marks[1];n<=last;n++){const row=document.getElementById('L'+n);if(row)row.className='marked'}
const first=document.getElementById('L'+marks[1]);if(first)first.scrollIntoView({block:'center'})}
"""


async def answer(host: Host, request: HttpRequest) -> Response:
    """The page at that address, private repositories included: only the person at this machine can open it."""
    raw = (request.scope.get("raw_path") or b"").split(b"?")[0].decode("ascii", "replace")
    path = unquote(raw, errors="surrogateescape")
    response = await _page(host, path) if request.method in ("GET", "HEAD") else None
    if response is None:
        response = _frame("Not found", "<p>There is no such page in the sandbox.</p>", 404)
    host.requests.append(Request(request.method, path, response.status_code))
    return response


async def _page(host: Host, path: str) -> Response | None:
    if path == "/":
        return _home(host)
    if match := _BLOB.fullmatch(path):
        repository, _ = host.state.find_repository(match[1])
        return await _blob(repository, match[2], match[3], match[4]) if repository else None
    if match := _THREAD.fullmatch(path):
        repository, _ = host.state.find_repository(match[1])
        thread = repository.threads.get(int(match[2])) if repository else None
        return _conversation(thread) if thread else None
    if match := _REPOSITORY.fullmatch(path):
        repository, _ = host.state.find_repository(match[1])
        return _overview(repository) if repository else None
    return None


def _frame(title: str, body: str, status: int = 200) -> Response:
    text = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style><body>{body}'
        f"<script>{_SCRIPT}</script></body></html>"
    )
    return HTMLResponse(text.encode("utf-8", "replace"), status)


def _home(host: Host) -> Response:
    living = [one for one in host.state.repositories.values() if not one.deleted]
    rows = "".join(f"<li>{_link(f'/{one.full_name}', one.full_name)}</li>" for one in living)
    return _frame("Sandbox", f"<h1>Sandbox</h1><p>A stand-in GitHub on this machine.</p><ul>{rows}</ul>")


def _link(target: str, text: str) -> str:
    return f'<a href="{html.escape(target)}">{html.escape(text)}</a>'


def _overview(repository: Repository) -> Response:
    rows = "".join(
        f"<li>{_link(_address(thread), f'#{thread.number} {thread.title}')} "
        f'<span class="state">{html.escape(thread.state)}</span></li>'
        for thread in sorted(repository.threads.values(), key=lambda one: -one.number)
    )
    return _frame(repository.full_name, f"<h1>{html.escape(repository.full_name)}</h1><ul>{rows}</ul>")


def _address(thread: Thread) -> str:
    return f"/{thread.repository.full_name}/{'pull' if thread.pull else 'issues'}/{thread.number}"


async def _blob(repository: Repository, form: str, revision: str, path: str) -> Response | None:
    """A file's lines, numbered as git numbers them, each with its anchor."""
    commit = await repository_git.resolve(repository.path, revision)
    blob = await repository_git.line(
        repository.path, "rev-parse", "--verify", "--quiet", f"{commit}:{path}", check=False
    )
    if commit is None or not blob:
        return None
    if await repository_git.line(repository.path, "cat-file", "-t", blob, check=False) != "blob":
        return None
    data = await repository_git.run(repository.path, "cat-file", "blob", blob)
    if form == "raw":
        return PlainTextResponse(data)
    lines = data.decode(errors="replace").removesuffix("\n").split("\n")
    rows = "".join(
        f'<tr id="L{number}"><td class="number"><a href="#L{number}">{number}</a></td>'
        f'<td class="code">{html.escape(text)}</td></tr>'
        for number, text in enumerate(lines, 1)
    )
    name = _link(f"/{repository.full_name}", repository.full_name)
    heading = f"<p>{name} / {html.escape(path)} <code>{commit[:7]}</code></p>"
    return _frame(posixpath.basename(path), f'{heading}<table class="file">{rows}</table>')


def _conversation(thread: Thread) -> Response:
    """A thread as people read it: the opening text, then comments and reviews in the order they were written."""
    kind = "Pull request" if thread.pull else "Issue"
    state = "merged" if thread.pull and thread.pull.merged_at else thread.state
    parts = [
        f"<p>{_link(f'/{thread.repository.full_name}', thread.repository.full_name)}</p>",
        f'<h1>{html.escape(thread.title)} <span class="state">#{thread.number} · {kind} · {state}</span></h1>',
        _entry("top", thread.author, thread.created, thread.body, ""),
    ]
    entries = [(one.created, one.id, _comment(one)) for one in thread.comments]
    for review in thread.pull.reviews if thread.pull else ():
        if review.body:
            anchor = f"pullrequestreview-{review.id}"
            shown = _entry(anchor, review.author, review.submitted, review.body, review.state.lower())
            entries.append((review.submitted, review.id, shown))
    parts += [text for _, _, text in sorted(entries)]
    return _frame(f"{thread.title} #{thread.number}", "".join(parts))


def _comment(comment: Comment) -> str:
    anchor = f"discussion_r{comment.id}" if comment.kind == "review" else f"issuecomment-{comment.id}"
    note = " ".join(sorted({one.content for one in comment.reactions}))
    if comment.kind == "review":
        place = comment.path if comment.in_reply_to is None else "in reply"
        note = f"{place}:{comment.line} {note}".strip()
    return _entry(anchor, comment.author, comment.updated, comment.body, note)


def _entry(anchor: str, author: User, when: float, body: str | None, note: str) -> str:
    name = "ghost" if author.deleted else author.login
    head = f"<b>{html.escape(name)}</b> {iso(when)} {html.escape(note)}"
    return f'<section class="comment" id="{anchor}"><header>{head}</header><div>{markdown.render(body or "")}</div></section>'
