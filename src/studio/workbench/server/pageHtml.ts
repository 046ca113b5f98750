/** Returns the page itself; its script fetches the content and keeps it up to date. */
export const pageHtml = (nonce: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="page.css">
<title>Workbench</title>
<script type="module" src="page.js" nonce="${nonce}"></script>
</head>
<body></body>
</html>
`

/** The page after the key is accepted. It redirects from our own origin, so that the browser sends its cookie. */
export const openedPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=./"><link rel="icon" href="icon.svg"><title>Workbench</title></head><body><a href="../../workbench">Continue</a></body></html>
`

/** States why a request is denied. */
export const deniedPage = (why: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not open</title></head><body><h1>Not open</h1><p>${why}</p></body></html>
`

export const icon =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f6fb0"/><path d="M6 10h5C16 10 16 16 21 16h5M6 22h5C16 22 16 16 21 16" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`
