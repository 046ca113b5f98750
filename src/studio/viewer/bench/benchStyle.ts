/** The page's style: light and dark; panes side by side on a wide screen, in tabs on a narrow one. */
export const benchStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#59636e;--line:#d8dee4;--paper:#fff;--back:#f6f8fa;--tint:#eef2f6;--accent:#1f63a8;--found:#fff3c4;--found-edge:#b07d00;--looked-edge:#8a94a0;--good:#136c2e;--bad:#b42318;--warn:#8a4600;--key:#0b5394;--value:#24453a;--over:#f1eef8;--shade:0 1px 2px #1b1f240f,0 4px 16px #1b1f2414}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9aa4ae;--line:#30363d;--paper:#0f141a;--back:#090c10;--tint:#1a212a;--accent:#6cb0f2;--found:#3d3210;--found-edge:#e3b341;--looked-edge:#768390;--good:#4ac26b;--bad:#ff8a80;--warn:#e3a35c;--key:#8cc2f5;--value:#b7d8c8;--over:#26213a;--shade:0 1px 2px #0006,0 4px 20px #0008}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html,body{height:100%}
body{margin:0;display:flex;flex-direction:column;background:var(--back);color:var(--ink);font:14px/1.5 system-ui,sans-serif}
h1,h2,h3,p,dl,dd,ul,ol{margin:0;padding:0}
h1{font-size:1rem;font-weight:650;letter-spacing:-.005em}
h2{font-size:.8125rem;font-weight:650}
h3{font:600 .875rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere;padding-right:1.5rem}
h3 .dim{font:400 .75rem system-ui,sans-serif;margin-left:.5rem}
.dim{color:var(--dim)}
.good{color:var(--good)}.bad,.error{color:var(--bad)}.warning{color:var(--warn)}
.error,.warning,.good[role=img],.bad[role=img]{font-weight:700;display:inline-block;min-width:1em;text-align:center}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
code,pre,.item,.value,.path,.paths code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12.5px}
code{overflow-wrap:anywhere}
button,input,select{font:inherit;color:inherit}
button,select,input[type=search]{background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.2rem .5rem;min-height:2rem}
button{cursor:pointer}button:hover,select:hover{border-color:var(--dim)}
.link{background:none;border:0;padding:0;min-height:0;color:var(--accent);text-align:left;cursor:pointer;overflow-wrap:anywhere;text-decoration:underline;text-decoration-color:color-mix(in srgb,currentColor 35%,transparent);text-underline-offset:2px}
.link:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.item:focus-visible{outline-offset:-2px}
header{display:flex;align-items:center;gap:.25rem 1.25rem;flex-wrap:wrap;padding:.5rem 1rem;background:var(--paper);border-bottom:1px solid var(--line)}
#about{color:var(--dim)}
#counts{display:flex;gap:1rem;flex-wrap:wrap;align-items:baseline;font-variant-numeric:tabular-nums}
.figure b{font-weight:650}
progress{width:8rem;height:.5rem;accent-color:var(--accent)}
.notice{margin-left:auto;color:var(--warn);font-size:.8125rem}
#help{min-height:1.75rem;width:1.75rem;padding:0;border-radius:50%;color:var(--dim)}
.banner{padding:.6rem 1rem;border-bottom:1px solid var(--line);border-left:4px solid var(--bad);background:color-mix(in srgb,var(--bad) 7%,var(--paper));max-height:45vh;overflow:auto;flex:none}
.banner pre{margin:.5rem 0 0;line-height:1.4;overflow-x:auto}
#lost{border-left-color:var(--warn)}
#tabs{display:none}
main{position:relative;flex:1;min-height:0;display:grid;grid-template:auto minmax(0,1fr)/minmax(11rem,14rem) minmax(0,1fr) minmax(0,1.1fr) minmax(0,1fr);gap:0 1.75rem;padding:.75rem 1rem 1rem}
main>section{grid-row:1/-1;display:flex;flex-direction:column;min-height:0;min-width:0}
#visits{grid-column:1}#source{grid-column:2}#visit{grid-column:4}
#mapping{grid-column:3;grid-row:2}
#story{grid-column:3;grid-row:1;margin-bottom:.75rem;max-height:46vh;overflow:auto;position:relative;background:var(--paper);border:1px solid var(--line);border-left:3px solid var(--found-edge);border-radius:8px;padding:.6rem .8rem;box-shadow:var(--shade)}
#threads{position:absolute;inset:0;width:100%;height:100%;pointer-events:none;fill:none;stroke:var(--found-edge);stroke-width:1.5;opacity:.85}
#threads .away{stroke-dasharray:2 4;opacity:.6}
.title{display:flex;align-items:center;gap:.25rem .75rem;min-height:2rem;margin-bottom:.35rem;flex-wrap:wrap}
.title p{font-size:.8125rem}.title select{flex:1;min-width:0;max-width:100%;padding:.1rem .3rem;min-height:1.75rem;font-size:.8125rem;text-overflow:ellipsis}
.blanks{margin-left:auto;font-size:.8125rem;color:var(--dim);display:flex;gap:.3rem;align-items:center}
#records,#lines,#fields,#list{flex:1;min-height:0;overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.25rem 0;scrollbar-width:thin;overscroll-behavior:contain}
:is(#records,#fields):empty::after{content:"Nothing yet";display:block;padding:.6rem .75rem;color:var(--dim)}
[role=search]{display:grid;gap:.15rem}
[role=search] label{font-size:.75rem;color:var(--dim)}
[role=search] :is(input,select){width:100%;margin-bottom:.35rem;min-width:0}
.steps{display:flex;justify-content:space-between;align-items:center;margin:.25rem 0 .5rem;font-variant-numeric:tabular-nums;color:var(--dim);font-size:.8125rem}
.steps button{width:2.5rem;min-height:1.75rem;font-size:1rem;line-height:1}
#list .item{display:grid;grid-template-columns:1rem minmax(0,1fr) auto auto;gap:0 .4rem;align-items:baseline;padding:.2rem .6rem;white-space:nowrap}
#list .sub{grid-column:2/-1;color:var(--dim);font-size:.75rem;overflow:hidden;text-overflow:ellipsis}
#list .code{flex:1;overflow:hidden;text-overflow:ellipsis}
#list .count{color:var(--dim);font:11px system-ui,sans-serif}
#list p{padding:.5rem .6rem;font-size:.8125rem}
#outside{margin-top:.5rem;font-size:.8125rem;max-height:40%;overflow:auto}
#outside details{margin:.25rem 0 .25rem .75rem}#outside pre{margin:.25rem 0;font-size:11px;white-space:pre-wrap;overflow-wrap:anywhere}
#list .item[aria-selected=true]{background:color-mix(in srgb,var(--accent) 11%,transparent);box-shadow:inset 3px 0 var(--accent)}
.item{position:relative;padding:.06rem .6rem .06rem .75rem;line-height:1.5;cursor:pointer;overflow-wrap:anywhere}
.item:hover{background:var(--tint)}
.item.in{padding-left:calc(var(--d,0)*1.15em + 2em);text-indent:-1.25em}.in *{text-indent:0}
.d1{--d:1}.d2{--d:2}.d3{--d:3}.d4{--d:4}.d5{--d:5}.d6{--d:6}.d7{--d:7}.d8{--d:8}.d9{--d:9}
.item .key{color:var(--key)}.item .value{color:var(--value)}
.item.unread .key,.item.unread .value{color:var(--dim);font-style:italic}
.item.lit{background:var(--found);box-shadow:inset 3px 0 var(--found-edge)}
.item.looked::before{content:"";position:absolute;left:0;top:1px;bottom:1px;border-left:3px dotted var(--looked-edge)}
.item.looked{background:color-mix(in srgb,var(--found) 42%,transparent)}
.item[aria-selected=true]:not(#list *){outline:1.5px solid var(--found-edge);outline-offset:-1.5px}
.tag{font:11px/1.4 system-ui,sans-serif;color:var(--dim);border:1px solid var(--line);border-radius:4px;padding:0 .3rem;margin-left:.4rem;white-space:nowrap}
.record{border-bottom:1px solid var(--line)}.record:last-child{border:0}
.record>.head{display:flex;gap:.5rem;align-items:baseline;padding:.3rem .6rem;font-weight:600;position:sticky;top:-.25rem;background:var(--paper);z-index:1}
.record>.head:hover{background:var(--tint)}
.record>.head::before{content:"▸";color:var(--dim);font-weight:400;width:.7em;flex:none}
.record>.head[aria-expanded=true]::before{content:"▾"}
.record.none>.head .name{color:var(--dim);font-weight:400}
.record.has-lit>.head{box-shadow:inset 3px 0 var(--found-edge)}
.head .name{flex:1 1 auto;min-width:6rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.head .id{font-weight:400;color:var(--dim)}
.head .origin{display:flex;flex:0 1 40%;min-width:4rem;justify-content:flex-end;color:var(--dim);font-weight:400;font-size:11px;white-space:nowrap}.origin span{overflow:hidden;text-overflow:ellipsis}
.kept-out{padding:.1rem .6rem .4rem 1.9rem;font-size:.8125rem}
mark{background:color-mix(in srgb,var(--found-edge) 28%,transparent);color:inherit;border-radius:2px;box-shadow:0 1.5px var(--found-edge)}
#visit-head{display:flex;gap:.1rem .75rem;flex-wrap:wrap;align-items:baseline;margin-bottom:.35rem}
#visit-head strong{font:600 .9375rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.state{font-weight:600}
#visit-head .dim{font-size:.8125rem;overflow-wrap:anywhere}
#problems{font-size:.8125rem;max-height:38%;overflow:auto;flex:none;margin-bottom:.5rem;scrollbar-width:thin}
summary{cursor:pointer;padding:.1rem 0}
#problems>details>summary{font-weight:600}
#problems ul{list-style:none}
.problem{padding:.4rem .6rem;margin:.3rem 0;background:var(--paper);border:1px solid var(--line);border-left:3px solid var(--warn);border-radius:6px}
.error-problem{border-left-color:var(--bad)}
.links{display:flex;flex-wrap:wrap;gap:.1rem .9rem}
.path code{color:var(--dim)}
.help{color:var(--dim)}.help li::before{content:"→ "}
.meaning summary{color:var(--dim);font-size:.75rem}
#fields .holder .key{font-weight:600}
#fields .blank .key{color:var(--dim)}#fields .blank .value{color:var(--dim);font-style:italic}
.no-blanks #fields .blank{display:none}
.changed .value{font-weight:600}.was{border-color:var(--found-edge);white-space:normal}
#story .value .dim{font:.8125rem system-ui,sans-serif}#story dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.15rem .9rem;margin-top:.3rem;font-size:.8125rem}
dt{color:var(--dim)}dd{overflow-wrap:anywhere}
#story ul{list-style:none}.paths{list-style:none}.paths .won::before{content:"→ ";color:var(--found-edge);font-weight:700}
.paths .not-asked code,.paths .found-nothing code{color:var(--dim)}
.close{position:sticky;float:right;top:0;background:none;border:0;min-height:0;font-size:1.1rem;line-height:1;padding:.1rem .3rem;color:var(--dim);text-decoration:none}
body.old :is(#fields,#records,#lines,#list){border:1px dashed var(--bad)}
#old{color:var(--bad);border-color:var(--bad);margin:0}
#warnings{font-size:.8125rem;margin-bottom:.35rem;color:var(--warn);max-height:30%;overflow:auto}#warnings pre{white-space:pre-wrap;overflow-wrap:anywhere;color:var(--ink)}
#lines{padding:0;display:flex;overflow:hidden}
.cm-editor{flex:1;min-width:0;height:100%}.cm-editor.cm-focused{outline:none}.cm-scroller{font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace!important;scrollbar-width:thin}
.cm-editor .cm-gutters{background:var(--back);color:var(--dim);border-right:1px solid var(--line)}.cm-editor .cm-lineNumbers .used{color:var(--ink);box-shadow:inset -2px 0 color-mix(in srgb,var(--accent) 45%,transparent)}
.cm-editor .cm-content{caret-color:var(--ink)}.cm-editor .cm-cursor{border-left-color:var(--ink)}.cm-editor .cm-selectionBackground,.cm-editor.cm-focused>.cm-scroller>.cm-selectionLayer .cm-selectionBackground{background:color-mix(in srgb,var(--accent) 22%,transparent)}
.cm-line.lit{background:var(--found);box-shadow:inset 3px 0 var(--found-edge)}.cm-line.over{background:var(--over);text-decoration:line-through;text-decoration-color:color-mix(in srgb,currentColor 45%,transparent)}
.tok-propertyName{color:var(--key)}.tok-string,.tok-string2{color:var(--value)}.tok-comment{color:var(--dim);font-style:italic}
.cm-editor .cm-tooltip{background:var(--paper);color:var(--ink);border:1px solid var(--dim);border-radius:6px;box-shadow:var(--shade)}.cm-editor .cm-tooltip-autocomplete>ul{font:12.5px/1.5 ui-monospace,Menlo,Consolas,monospace}.cm-editor .cm-tooltip-autocomplete>ul>li[aria-selected]{background:var(--accent);color:var(--paper)}.cm-editor .cm-completionInfo{max-width:20rem;font-size:.8125rem}
.cm-editor .cm-panels{background:var(--back);color:var(--ink)}
#hits{list-style:none;font-size:.8125rem;max-height:30%;overflow:auto;flex:none;border-bottom:1px solid var(--line);padding-bottom:.4rem}#hits li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 .5rem}#hits .dim{grid-row:2;font-size:.75rem;overflow-wrap:anywhere}#hits .count{grid-area:1/2;color:var(--dim)}#hits.only{display:block;padding:.3rem .5rem;background:var(--tint);border-radius:6px}
#edit{display:flex;gap:.5rem;align-items:center;flex-wrap:wrap;background:var(--found);border:1px solid var(--found-edge);border-radius:8px;padding:.2rem .3rem .2rem .8rem}#edit button{min-height:1.75rem}#edit .main,#case .main,#codes .main{background:var(--accent);border-color:var(--accent);color:var(--paper);font-weight:600}
#plan{flex:none;max-height:32vh;overflow:auto;background:var(--paper);border-top:1px solid var(--line);padding:.5rem 1rem;font-size:.8125rem}
#plan table{border-collapse:collapse;width:100%;margin-top:.35rem}#plan th{text-align:left;color:var(--dim);font-weight:600}#plan :is(th,td){padding:.2rem .9rem .2rem 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}#plan .n{text-align:right}#plan .good,#plan .bad{font-weight:600}#plan ul{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.5rem;margin-top:.35rem}
#mistakes ul{list-style:none}#mapping #mistakes{margin-top:.5rem;max-height:40%;font-size:.8125rem}#mapping #mistakes pre{white-space:pre-wrap}
dialog{border:1px solid var(--line);border-radius:10px;padding:1rem 1.25rem;background:var(--paper);color:var(--ink);max-width:min(24rem,90vw);box-shadow:var(--shade)}
#codes{width:min(76rem,96vw);max-width:none;max-height:92vh}#codes .rows{max-height:66vh;overflow:auto}#codes table{width:100%;border-collapse:collapse;font-size:.875rem}#codes th,#codes td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere;min-width:4.5rem}#codes .n{text-align:right}@media (min-width:60rem){#codes td:last-child{min-width:19rem}#codes td:nth-child(3){white-space:nowrap}}#codes form{display:flex;gap:.4rem .6rem;flex-wrap:wrap;align-items:center}#codes input{background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.2rem .5rem;min-height:2rem;width:11rem}#codes button:disabled{opacity:.5}#codes form[method=dialog]{margin-top:.75rem}@media (max-width:40rem){#codes thead{display:none}#codes :is(table,tbody,tr,td){display:block}#codes td{border:0;padding:.1rem 0}#codes tr{border-bottom:1px solid var(--line);padding:.5rem 0}#codes .n{text-align:left}#codes .n:not(:empty)::before{content:"Visits: "}#codes td:last-child input{flex:1}}
#case{width:min(60rem,94vw);max-width:none;max-height:92vh}#case pre{max-height:50vh;overflow:auto;border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;font-size:.75rem}#case .ask{display:flex;gap:.75rem;align-items:center;flex-wrap:wrap}#case label{flex:1;display:flex;gap:.5rem;align-items:center}#case input{flex:1;min-width:8rem;background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.2rem .5rem;min-height:2rem}#case button:disabled{opacity:.5}
dialog::backdrop{background:#0006}
dialog dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.75rem 0}dialog p{margin:.75rem 0;color:var(--dim);font-size:.8125rem}
@media (max-width:68.99rem){
header{gap:.1rem .9rem;padding:.45rem 3rem .45rem .75rem}.notice{margin-left:0}#help{position:absolute;top:.4rem;right:.6rem}
#tabs{display:flex;background:var(--paper);border-bottom:1px solid var(--line);padding:0 .5rem;flex:none}
[role=tab]{flex:1;border:0;border-radius:0;background:none;min-height:2.75rem;padding:.2rem .25rem;border-bottom:3px solid transparent;color:var(--dim)}
[role=tab][aria-selected=true]{color:var(--ink);font-weight:600;border-bottom-color:var(--accent)}
main{display:flex;flex-direction:column;gap:.5rem;padding:.6rem .6rem .6rem}
main>section{flex:1;overflow:auto}main>section.away{display:none}
#records,#fields,#list{flex:none;overflow:visible}#plan{max-height:26vh}#edit{flex-basis:100%}#hits{max-height:none}#problems,#outside,#warnings{max-height:none;overflow:visible}.record>.head{top:-1px}
#threads{display:none}
#story{order:9;flex:none;max-height:34vh;margin:0 -.6rem -.6rem;border-radius:10px 10px 0 0;border-width:1px 0 0;border-top:3px solid var(--found-edge)}
.item{padding-top:.15rem;padding-bottom:.15rem}#list .item{padding-top:.45rem;padding-bottom:.45rem}.steps button{min-height:2.25rem;width:3rem}
.link{padding:.15rem 0}
[role=search]{grid-template-columns:1fr 1fr;gap:.1rem .6rem}[role=search] label[for=find],#find{grid-column:1/-1}
[role=search] label[for=state]{grid-area:3/1}#state{grid-area:4/1}[role=search] label[for=problem]{grid-area:3/2}#problem{grid-area:4/2}
}
`
