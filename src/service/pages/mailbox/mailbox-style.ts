/** The style sheet for both color schemes, for windows of 320 pixels and more. */
export const mailboxStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f3f0, #131417);
  --sheet: light-dark(#ffffff, #1b1d21);
  --sunk: light-dark(#faf9f7, #16181b);
  --line: light-dark(#e3e0da, #2c2f35);
  --ink: light-dark(#1d1c1a, #ececea);
  --soft: light-dark(#6a665f, #a2a19d);
  --accent: light-dark(#8a4b08, #f0b35e);
  --fill: light-dark(#8a4b08, #e3a04a);
  --on-fill: light-dark(#ffffff, #1b1408);
  --tint: light-dark(#faf0e2, #2b241a);
  --good: light-dark(#1c7c4a, #5fcf95);
  --bad: light-dark(#b3261e, #ff8f84);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace;
}
* { box-sizing: border-box; margin: 0; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  min-height: 100%; display: flex; flex-direction: column;
  background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif;
}
a { color: inherit; text-decoration: none; }
button { font: inherit; color: inherit; background: none; border: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
svg { width: 1.15em; height: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bar { display: flex; align-items: center; justify-content: space-between; gap: 16px; min-height: 56px; padding: 8px 20px; background: var(--sheet); border-bottom: 1px solid var(--line); }
.home { white-space: nowrap; }
.home strong { font-weight: 650; letter-spacing: -.01em; }
.home span { color: var(--soft); margin-left: 6px; }
#live { display: flex; align-items: center; gap: 8px; font-size: 13px; color: var(--soft); }
.dot { width: 8px; height: 8px; flex: none; border-radius: 50%; background: var(--soft); }
#live.on .dot { background: var(--good); box-shadow: 0 0 0 3px color-mix(in srgb, var(--good) 22%, transparent); }
#live.off { color: var(--bad); }
#live.off .dot { background: var(--bad); }

main { flex: 1; display: grid; grid-template-columns: minmax(320px, 400px) minmax(0, 1fr); min-height: 0; }
.list { border-right: 1px solid var(--line); background: var(--sunk); }
#messages { list-style: none; padding: 0; }
#messages > li { position: relative; border-bottom: 1px solid var(--line); padding: 14px 20px; }
#messages > li:has(.item[aria-current]) { background: var(--tint); box-shadow: inset 3px 0 0 var(--accent); }
#messages > li:hover { background: var(--tint); }
.item { display: grid; grid-template-columns: auto 1fr auto; column-gap: 12px; align-items: center; }
.item::after { content: ''; position: absolute; inset: 0; }
.item:focus-visible { outline: 0; }
.item:focus-visible::after { outline: 2px solid var(--accent); outline-offset: -2px; }
.kind { grid-row: span 2; display: grid; place-items: center; width: 36px; height: 36px; border-radius: 10px; border: 1px solid var(--line); background: var(--sheet); color: var(--accent); }
.kind svg { width: 20px; height: 20px; }
.who { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
time { font-size: 13px; color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.what { grid-column: 2 / -1; color: var(--soft); font-size: 14px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }

.actions { display: flex; flex-wrap: wrap; gap: 8px; }
#messages .actions { position: relative; z-index: 1; width: fit-content; max-width: calc(100% - 48px); margin: 10px 0 0 48px; }
#messages .link:nth-of-type(n + 2) { display: none; }
.code, .open, .copy { display: inline-flex; align-items: center; justify-content: center; gap: 8px; min-height: 36px; padding: 0 12px; border: 1px solid var(--line); border-radius: 9px; background: var(--sheet); font-size: 14px; font-weight: 550; }
.code { font-family: var(--mono); font-size: 15px; letter-spacing: .06em; }
.code svg, .copy svg { color: var(--soft); }
.link { display: inline-flex; max-width: 100%; }
.open { border-radius: 9px 0 0 9px; min-width: 0; }
.open span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.open.first { background: var(--fill); border-color: var(--fill); color: var(--on-fill); }
.copy { border-left: 0; border-radius: 0 9px 9px 0; padding: 0 10px; }
.code:hover, .copy:hover, .open:not(.first):hover { border-color: var(--accent); background: var(--tint); }
.copy:hover { box-shadow: -1px 0 0 var(--accent); }
.open.first:hover { filter: brightness(1.08); }
#messages .open.first { background: var(--sheet); border-color: var(--line); color: var(--accent); }
#messages .open.first:hover { border-color: var(--accent); background: var(--tint); filter: none; }
.copied, .copied svg { color: var(--good); }
.copied path { d: path('M5 12.5l4.5 4.5L19 7.5'); }

.detail { display: flex; flex-direction: column; min-width: 0; background: var(--page); }
#shown { flex: 1; display: flex; flex-direction: column; }
article { flex: 1; display: flex; flex-direction: column; gap: 20px; width: 100%; max-width: 860px; margin: 0 auto; padding: 32px; }
h1 { font-size: 24px; line-height: 1.25; font-weight: 650; letter-spacing: -.015em; overflow-wrap: anywhere; }
.tags { display: flex; align-items: center; gap: 10px; margin-bottom: 8px; }
.tag { padding: 1px 9px; border-radius: 99px; background: var(--tint); color: var(--accent); font-size: 12.5px; font-weight: 600; }
.to { color: var(--soft); margin-top: 6px; overflow-wrap: anywhere; }
.to strong { color: var(--ink); font-weight: 550; }
article .code { min-height: 44px; padding: 0 16px; font-size: 20px; letter-spacing: .14em; }
article .open, article .copy { min-height: 44px; padding: 0 16px; }
article .copy { padding: 0 13px; }
.tabs { display: flex; gap: 20px; border-bottom: 1px solid var(--line); font-size: 14px; }
.tabs a { padding: 8px 0; color: var(--soft); border-bottom: 2px solid transparent; margin-bottom: -1px; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
iframe, .text { flex: 1; width: 100%; min-height: 420px; border: 1px solid var(--line); border-radius: 12px; }
iframe { background: #fff; color-scheme: light; }
.text { padding: 20px; background: var(--sheet); font: 13.5px/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.bubble { align-self: flex-start; max-width: 46ch; padding: 12px 16px; border-radius: 18px 18px 18px 4px; background: var(--sheet); border: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.back { display: none; }

.empty { display: grid; justify-items: center; gap: 10px; padding: 72px 28px; text-align: center; color: var(--soft); }
.empty svg { width: 40px; height: 40px; stroke-width: 1.2; color: var(--accent); }
.empty h1 { font-size: 18px; color: var(--ink); }
.empty p { max-width: 44ch; text-wrap: balance; }
.list:has(li) .empty { display: none; }
body:not(:has(#messages li)) main, .locked main { grid-template-columns: 1fr; place-content: center; }
body:not(:has(#messages li)) .list { border: 0; background: none; }
body:not(:has(#messages li)) .detail { display: none; }

@media (min-width: 860px) {
  body:has(#messages li) { height: 100vh; }
  .list, .detail { overflow-y: auto; }
}
@media (max-width: 859px) {
  main { grid-template-columns: minmax(0, 1fr); align-content: start; }
  .list { border: 0; }
  body.latest .detail, body.chosen .list { display: none; }
  body.latest #messages > li:has(.item[aria-current]) { background: none; box-shadow: none; }
  body.chosen main { align-content: stretch; }
  .bar { padding: 8px 16px; }
  #messages > li { padding: 14px 16px; }
  article { padding: 20px 16px 24px; }
  h1 { font-size: 21px; }
  .back { display: inline-flex; align-items: center; gap: 6px; min-height: 44px; padding: 0 16px; color: var(--soft); font-size: 14px; border-bottom: 1px solid var(--line); background: var(--sunk); }
  .code, .open, .copy { min-height: 40px; }
}
@media (max-width: 420px) { .home strong { display: none; } .home span { margin: 0; color: var(--ink); font-weight: 600; } }
@media (prefers-reduced-motion: no-preference) {
  .code, .open, .copy, #messages > li { transition: background-color .12s, border-color .12s, color .12s; }
}
`
