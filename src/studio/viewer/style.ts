/** The style of every page. Colour means one thing: green delivered, blue still open, amber waiting, red needs a person. */
export const style = `:root{color-scheme:light dark;
--ink:#16202b;--dim:#566474;--line:#dbe1e8;--paper:#f6f8fa;--card:#fff;--tint:#eef2f6;--link:#0b5cad;--all:#c9d1da;
--delivered:#2f8f6b;--open:#5f86bd;--waiting:#d69a1f;--correction:#c93f2b;
--delivered-ink:#14664a;--open-ink:#2f5a94;--waiting-ink:#7d5600;--correction-ink:#a82c19;
--p1:#4b4fa3;--p2:#1f86a3;--p3:#c2701a}
@media (prefers-color-scheme:dark){:root{
--ink:#e7edf3;--dim:#9dabb9;--line:#2e3945;--paper:#0e141a;--card:#161e26;--tint:#1f2933;--link:#7db8f2;--all:#3c4855;
--delivered:#3fa67f;--open:#6f97cf;--waiting:#d9a53a;--correction:#e2604c;
--delivered-ink:#6fd0ac;--open-ink:#a3c3ee;--waiting-ink:#ecc268;--correction-ink:#ff9c8a;
--p1:#8a8fe0;--p2:#4bb9d6;--p3:#eda356}}
*{box-sizing:border-box}
html{scroll-padding-top:4rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:3px}section:focus{outline:none}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0}ul{list-style:none;padding:0}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;z-index:9;background:var(--card);padding:.5rem 1rem}
.wrap{max-width:76rem;margin:0 auto;padding:0 1.5rem}main.wrap{padding-bottom:4rem}
.top{position:sticky;top:0;z-index:5;background:var(--card);border-bottom:1px solid var(--line)}
.top .wrap{display:flex;align-items:center;gap:1.5rem;min-height:3rem}
.top strong{white-space:nowrap}
.top nav{display:flex;gap:1.25rem;overflow-x:auto;scrollbar-width:none;margin-left:auto}
.top nav a{color:var(--dim);text-decoration:none;white-space:nowrap;font-size:.9rem;padding:.6rem .1rem}.top nav a:hover{color:var(--ink);text-decoration:underline}
.hero{padding:2.25rem 0 0}
.when,.sub,.dim{color:var(--dim)}.when{font-size:.95rem}
h1{font-size:clamp(1.5rem,1.1rem + 1.6vw,2.1rem);line-height:1.22;letter-spacing:-.012em;font-weight:650;margin:.35rem 0 1.1rem;text-wrap:pretty}
h1 .rest{display:block;font-weight:450;font-size:.74em;line-height:1.35;margin-top:.2rem}
h1 .correction{color:var(--correction-ink)}
.next{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--waiting);border-radius:8px;padding:.7rem 1rem;margin-bottom:1rem;font-weight:600}
.values{color:var(--correction-ink);font-weight:600;margin-bottom:1rem}
h2{font-size:1.2rem;line-height:1.3;font-weight:650;letter-spacing:-.005em}
h3{font-size:1rem;font-weight:650}
.sub{font-size:.925rem;margin-top:.15rem;max-width:56rem}
.bar{display:block;width:100%;height:1.5rem;border-radius:4px}
.bar.thin{height:.6rem;border-radius:3px;margin:.75rem 0 .4rem}
.f-delivered,.f-used{fill:var(--delivered)}.f-open{fill:var(--open)}.f-waiting{fill:var(--waiting)}.f-correction{fill:var(--correction)}.f-unused,.f-all{fill:var(--all)}
.f-p1{fill:var(--p1)}.f-p2{fill:var(--p2)}.f-p3{fill:var(--p3)}.line{fill:none;stroke-width:2}.l-p1{stroke:var(--p1)}.l-p2{stroke:var(--p2)}.l-p3{stroke:var(--p3)}
.states{display:grid;grid-template-columns:repeat(4,1fr);gap:.75rem;margin:.9rem 0 0}
.states a{display:block;height:100%;background:var(--card);color:inherit;text-decoration:none;border:1px solid var(--line);border-left:5px solid;border-radius:8px;padding:.7rem 1rem}
.states a:hover{background:var(--tint)}
.states .n{font-size:1.7rem;line-height:1.15;font-weight:650;margin-right:.25rem}.states .t{font-weight:600}.states .d{display:block;color:var(--dim);font-size:.875rem}
.states .b-delivered{border-left-color:var(--delivered)}.states .b-open{border-left-color:var(--open)}.states .b-waiting{border-left-color:var(--waiting)}.states .b-correction{border-left-color:var(--correction)}
.two{display:grid;grid-template-columns:minmax(0,7fr) minmax(0,6fr);gap:1.25rem;margin-top:1.25rem;align-items:start}
.halves{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:2rem}.halves>:only-child{grid-column:1/-1}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1.25rem 1.4rem;min-width:0}
main>.card{margin-top:1.25rem}
.todo{margin-top:.9rem}
.todo>li{border-top:1px solid var(--line);padding:.75rem 0 .2rem}
.todo h3{display:flex;justify-content:space-between;gap:1rem;align-items:baseline}.todo h3 span{color:var(--dim);font-weight:400;font-size:.875rem;white-space:nowrap}
.job{display:grid;grid-template-columns:2.9rem minmax(0,1fr) auto;gap:.1rem .75rem;padding:.45rem 0;align-items:baseline}
.job .n{font-size:1.25rem;font-weight:650;text-align:right;color:var(--correction-ink)}.job.calm .n{color:var(--waiting-ink)}
.job .what{display:block;color:var(--dim);font-size:.925rem}.job strong{font-weight:600}.job .links{display:grid;gap:.15rem;justify-items:end;font-size:.925rem;white-space:nowrap}
.tag{display:inline-block;font-size:.75rem;line-height:1.3;padding:.05rem .45rem;border-radius:99px;background:var(--tint);color:var(--ink);white-space:nowrap;vertical-align:.08em}
.tag.new{background:var(--correction-ink);color:var(--card)}
p.calm{color:var(--dim);font-size:.925rem;padding:.75rem 0 0;border-top:1px solid var(--line);margin-top:.5rem}
figure{margin-top:.9rem}figcaption{font-size:.85rem;font-weight:600}
.chart{display:block;width:100%;height:auto;margin-top:.35rem}
.chart text{fill:var(--dim);font-size:12px}.chart .strong{fill:var(--ink);font-weight:600}
.chart .faint{opacity:.45}.chart .grid{stroke:var(--line)}
.chart .curve{fill:none;stroke:var(--delivered);stroke-width:2.25}.chart .away{stroke-dasharray:2 4}.chart .dot{fill:var(--delivered)}.chart .hollow{fill:var(--card);stroke:var(--waiting);stroke-width:2.25}
.key{display:grid;gap:.15rem;font-size:.85rem;color:var(--dim);margin-top:.4rem}.key li{display:flex;gap:.45rem;align-items:baseline}.key svg{width:.75rem;height:.75rem;flex:none;border-radius:2px}
.tools{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end;margin:.9rem 0 .75rem}
.tools label{display:grid;gap:.15rem;font-size:.8rem;color:var(--dim)}
input,select,.button{font:inherit;font-size:.925rem;color:var(--ink);background:var(--card);border:1px solid var(--dim);border-radius:6px;padding:.35rem .6rem;min-height:2.35rem}
input{width:15rem;max-width:100%}select{max-width:11.75rem}input::placeholder{color:var(--dim);opacity:1}
.button{cursor:pointer}.button:hover{background:var(--tint)}.button.main{background:var(--link);border-color:var(--link);color:var(--card);font-weight:600;margin-left:auto}
.scroll{overflow-x:auto;margin-top:.75rem}.hush{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden;white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:.925rem}
caption{text-align:left;color:var(--dim);padding-bottom:.4rem;font-size:.925rem}
th{text-align:left;font-weight:600;vertical-align:bottom;font-size:.85rem;color:var(--dim)}th,td{padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td{overflow-wrap:anywhere}td.n,th.n{text-align:right;overflow-wrap:normal}th button{all:unset;cursor:pointer;white-space:nowrap}th button:hover{color:var(--ink)}th button:focus-visible{outline:2px solid var(--link);outline-offset:2px}
th button::after{content:"";display:inline-block;width:.9em;text-align:center}th[aria-sort=ascending] button::after{content:"\\2191"}th[aria-sort=descending] button::after{content:"\\2193"}th[aria-sort] button{color:var(--ink)}
.visits td{overflow-wrap:break-word}.visits td:first-child{min-width:9.5rem}.visits td:nth-child(2){white-space:nowrap}.visits td:nth-child(5){min-width:15rem}.visits td:nth-child(6){font-size:.85rem}
.lines{list-style:none;padding:.5rem 0;max-height:32rem;overflow:auto;background:var(--tint);border:1px solid var(--line);border-radius:6px;margin-top:.75rem}.lines li{display:flex;gap:1rem;align-items:baseline;padding:0 1rem}.lines code{white-space:pre-wrap;overflow-wrap:anywhere;flex:1;min-width:0}
.copy{min-height:0;padding:0 .5rem;font-size:.75rem}.lines~p,.lines~h3{margin-top:.75rem}.plain{list-style:disc;padding-left:1.25rem;margin:.4rem 0}.share{display:inline-flex;gap:.5rem;align-items:center;white-space:nowrap}.share .bar.thin{width:6rem;margin:0;flex:none}.correction{color:var(--correction-ink)}.foot{margin-top:1.5rem}
.graph{display:block;max-width:none}.graph text{fill:var(--ink);font-size:13px}.node{fill:var(--tint);stroke:var(--dim)}.edge{fill:none;stroke:var(--dim);stroke-width:1.5}.edge.weak{stroke:var(--correction);stroke-dasharray:5 4}
code,pre{font:.9em ui-monospace,"SFMono-Regular",Menlo,monospace}
pre{background:var(--tint);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
.state{white-space:nowrap;font-weight:600;display:inline-flex;align-items:center;gap:.45rem}.state::before{content:"";width:.6rem;height:.6rem;border-radius:50%;flex:none}
.s-delivered,.s-used{color:var(--delivered-ink)}.s-open{color:var(--open-ink)}.s-waiting{color:var(--waiting-ink)}.s-correction{color:var(--correction-ink)}.s-unused{color:var(--dim)}
.s-delivered::before,.s-used::before{background:var(--delivered)}.s-open::before{border:2px solid var(--open)}.s-waiting::before{background:var(--waiting);border-radius:1px;transform:rotate(45deg)}.s-correction::before{background:var(--correction);border-radius:1px}.s-unused::before{border:1px solid var(--dim)}
@media screen and (min-width:40rem){.at{white-space:nowrap}}.below{display:block;color:var(--dim);font-size:.85rem}.labels td{overflow-wrap:break-word}.labels td:not(.n){min-width:9rem}.labels code{overflow-wrap:anywhere}@media screen and (min-width:40rem){.labels .below code{overflow-wrap:break-word}}
.more{display:flex;gap:1rem;align-items:center;margin-top:.75rem;color:var(--dim);font-size:.9rem}
details>summary{cursor:pointer;padding:.4rem 0}details{margin-top:.4rem}details[open]>summary{margin-bottom:.2rem}
.problem{border-top:1px solid var(--line);margin:0;padding:.25rem 0}.problem summary strong{font-weight:600}:target{outline:2px solid var(--link);outline-offset:4px;border-radius:3px}section:target{outline:none}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,1fr);gap:.2rem 1.25rem;margin:.5rem 0;font-size:.925rem}dt{color:var(--dim)}dd{overflow-wrap:anywhere}
@media screen and (max-width:60rem){.two,.halves{grid-template-columns:minmax(0,1fr)}.halves{gap:1rem}.states{grid-template-columns:1fr 1fr}}
@media screen and (max-width:40rem){.wrap{padding:0 1rem}.top .wrap{flex-direction:column;align-items:stretch;gap:0;padding-top:.6rem}.top nav{margin-left:0}.hero{padding-top:1.25rem}.card{padding:1rem}
html{scroll-padding-top:6rem}.states{gap:.5rem}.states a{padding:.6rem .75rem}.states .n{font-size:1.4rem}
.job{grid-template-columns:2.2rem minmax(0,1fr)}.job .links,.job>a{grid-column:2;justify-items:start;grid-auto-flow:column;justify-content:start;gap:1rem}
.tools label{flex:1 1 9rem;min-width:0}.tools label:first-child{flex-basis:100%}input,select{width:100%;max-width:none}.button.main{margin-left:0}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}table,tbody,caption,tr,td,td.n{display:block;text-align:left;border:0;padding:0}tr{padding:.6rem 0;border-bottom:1px solid var(--line)}
td{padding:.05rem 0}td:empty{display:none}td.n::before,.labels td::before{content:attr(data-head) ": ";color:var(--dim)}
.visits tr{display:grid;grid-template-columns:minmax(9.5rem,1fr) minmax(0,auto);gap:.1rem 1rem}.visits td:nth-child(3),.visits td:nth-child(4){text-align:right}.visits td,.visits td:first-child,.visits td:nth-child(5),.labels td:not(.n){min-width:0;overflow-wrap:anywhere}.visits td:nth-child(4){grid-row:1;grid-column:2}.visits td:nth-child(5),.visits td:nth-child(6){grid-column:1/-1}.visits td:nth-child(5){grid-row:2}
.halves tr{display:flex;flex-wrap:wrap;gap:0 1rem}.halves td:first-child{flex-basis:100%}
dl{grid-template-columns:minmax(0,1fr);gap:0}dd{margin-bottom:.4rem}.chart text{font-size:15px}}
@media print{:root{color-scheme:light;--ink:#000;--dim:#444;--line:#bbb;--paper:#fff;--card:#fff;--tint:#fff;--link:#0b5cad;--all:#c9d1da;--delivered:#2f8f6b;--open:#5f86bd;--waiting:#d69a1f;--correction:#c93f2b;--delivered-ink:#14664a;--open-ink:#2f5a94;--waiting-ink:#7d5600;--correction-ink:#a82c19;--p1:#4b4fa3;--p2:#1f86a3;--p3:#c2701a;font-size:9.5pt}
.top{position:static}.top nav,.skip,.tools,.more,.button{display:none}.lines{max-height:none}.graph{max-width:100%;height:auto}.visits td,.visits td:first-child,.visits td:nth-child(5),.labels td:not(.n){overflow-wrap:anywhere;min-width:0}.wrap{max-width:none;padding:0}.card{border:0;padding:.5rem 0}.two{display:block}.scroll{overflow:visible}svg,.state::before{print-color-adjust:exact}
tr,li,h2,h3,figure{break-inside:avoid}h2,h3,caption{break-after:avoid}details::details-content{content-visibility:visible;block-size:auto}.job{grid-template-columns:2.9rem minmax(0,1fr)}.job .links,.job>a{display:none}}
@page{margin:15mm}
`
