const head = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="page.css">`

/** Returns the page itself; its script fetches the content and keeps it up to date. */
export const pageHtml = `<!doctype html>
<html lang="en">
<head>
${head}
<title>Bench</title>
<script type="module" src="page.js"></script>
</head>
<body>
<header>
<h1>Bench</h1>
<p id="about"></p>
<p id="counts"></p>
<progress id="progress" aria-label="Progress" hidden></progress>
<p class="notice">Patient data. It stays on this machine.</p>
<button type="button" id="help" aria-label="Keys" title="Keys (?)">?</button>
</header>
<p id="lost" class="banner" role="alert" hidden>The program has ended, or cannot be reached. What you see is no longer kept up to date.</p>
<div id="mistakes" class="banner" role="alert" hidden></div>
<nav aria-label="Panes">
<div id="tabs" role="tablist" aria-label="Panes">
<button type="button" role="tab" id="tab-visits" aria-controls="visits">Visits</button>
<button type="button" role="tab" id="tab-source" aria-controls="source">Records</button>
<button type="button" role="tab" id="tab-mapping" aria-controls="mapping">Mapping</button>
<button type="button" role="tab" id="tab-visit" aria-controls="visit">Visit</button>
</div>
</nav>
<main>
<section id="visits" aria-label="Visits">
<div role="search" aria-label="Find a visit">
<label for="find">Find a visit</label>
<input id="find" type="search" placeholder="code or encounter" autocomplete="off" spellcheck="false">
<label for="state">State</label>
<select id="state"><option value="">ready and rejected</option><option value="ready">✓ ready</option><option value="rejected">✕ rejected</option><option value="changed">changed by the last edit</option></select>
<label for="problem">Problem</label>
<select id="problem"><option value="">any problem, or none</option></select>
</div>
<div class="steps"><button type="button" id="previous" title="Previous visit (p)">‹<span class="hide"> Previous visit</span></button><span id="position"></span><button type="button" id="next" title="Next visit (n)">›<span class="hide"> Next visit</span></button></div>
<div id="list" role="listbox" aria-label="Visits found"></div>
<details id="outside" hidden></details>
</section>
<section id="source" aria-label="Records">
<div class="title"><h2>Records</h2><p id="source-head" class="dim"></p></div>
<div id="records" role="tree" aria-label="Records of the visit"></div>
</section>
<section id="mapping" aria-label="Mapping">
<div class="title"><h2>Mapping</h2><label class="hide" for="file">File</label><select id="file"></select></div>
<details id="warnings" hidden></details>
<div id="lines" role="listbox" aria-label="Lines of the file"></div>
</section>
<section id="visit" aria-label="Visit">
<div class="title"><h2>Visit</h2><p id="old" class="tag" hidden>old</p><label class="blanks"><input type="checkbox" id="blanks" checked> blank fields</label></div>
<p id="visit-head"></p>
<div id="problems"></div>
<div id="fields" role="tree" aria-label="Fields of the visit"></div>
</section>
<aside id="story" aria-label="Where it comes from" hidden></aside>
<svg id="threads" aria-hidden="true"></svg>
</main>
<button type="button" id="clear" class="hide" hidden>Clear the selection</button>
<p id="said" class="hide" role="status"></p>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl><dt>/</dt><dd>find a visit</dd><dt>n p</dt><dd>next and previous visit</dd><dt>1 2 3 4</dt><dd>visits, records, mapping, visit</dd><dt>↑ ↓</dt><dd>move in a pane</dd><dt>← →</dt><dd>close and open a record</dd><dt>Enter</dt><dd>follow the line from here</dd><dt>Esc</dt><dd>let go</dd></dl>
<p>Solid: what became the value. Dotted: what was looked at on the way. Pale: what nothing read.</p>
<form method="dialog"><button>Close</button></form>
</dialog>
</body>
</html>
`

/** The page after the key is accepted. It redirects from our own origin, so that the browser sends its cookie. */
export const opened = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=./"><link rel="icon" href="icon.svg"><title>Bench</title></head><body><a href="../../workbench">Go on</a></body></html>
`

/** States why a request is denied. */
export const refusal = (why: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not open</title></head><body><h1>Not open</h1><p>${why}</p></body></html>
`

export const icon =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f6fb0"/><path d="M6 10h5C16 10 16 16 21 16h5M6 22h5C16 22 16 16 21 16" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`
