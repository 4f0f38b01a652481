/** The style of the console, in addition to that of the pages. */
export const consoleStyle = `.console {
  display: grid; grid-template-columns: 212px minmax(0, 1fr); grid-template-rows: auto 1fr auto; gap: 0; padding: 0; align-items: stretch;
  font-size: 15px;
}
.console > .bar, .console > .side, .console > main, .console > footer { max-width: none; }
.skip { position: absolute; inset-inline-start: -999px; }
.skip:focus { inset: 8px auto auto 8px; padding: 8px 12px; background: var(--surface); z-index: 1; }
.bar {
  grid-column: 1 / -1; margin: 0; padding: 10px 20px; display: flex; align-items: center; gap: 6px 16px;
  text-align: start; background: var(--surface); border-bottom: 1px solid var(--line);
}
.bar .name { flex: 1 0 auto; }
.who { min-width: 0; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar form { flex: none; }
.console .inline { display: inline-flex; flex-wrap: wrap; gap: 8px 12px; align-items: start; margin: 0; }
.console .inline:has(.field) { width: 100%; }
.inline .field ~ .button { margin-top: 29px; }
.console .inline .field { flex: 1 1 180px; max-width: 340px; }
.console .inline .label { min-height: 0; }
.console .button { width: auto; min-height: 38px; padding: 6px 14px; font-size: 15px; }
.side { grid-row: 2 / -1; padding: 18px 12px; display: flex; flex-direction: column; gap: 18px; border-inline-end: 1px solid var(--line); }
.side ul { flex-direction: column; gap: 2px; list-style: none; padding: 0; display: flex; align-items: stretch; justify-content: flex-start; }
.side ul::before { content: attr(aria-label); padding: 0 10px 4px; color: var(--soft); font-size: 13px; font-weight: 600; }
.side a { display: block; padding: 7px 10px; color: var(--text); text-decoration: none; border-radius: var(--radius); }
.side a:hover { text-decoration: underline; }
.side a[aria-current] { background: var(--surface); font-weight: 650; box-shadow: inset 3px 0 0 var(--accent); }
.console > main { padding: 24px 28px; background: none; border: 0; border-radius: 0; box-shadow: none; min-width: 0; align-self: start; }
.console main:focus { outline: none; }
.console > footer { grid-column: 2; margin: 0; padding: 12px 28px 20px; }
.console > footer ul { justify-content: flex-start; }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 10px 20px; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; }
.console main > .notice, .console main > .error { margin-top: 16px; }
.content { margin-top: 20px; display: grid; gap: 28px; }
.console .content section, .console .content .cards { margin: 0; }
.console .content section { display: grid; gap: 12px; }
.console .content section:not(.danger-zone) { padding: 0; border: 0; }
.console .content .stack { width: 100%; max-width: 560px; gap: 16px; }
.console h1 { font-size: 23px; }
.console h2 { font-size: 17px; }
.console section { justify-items: start; }
.console section > * { max-width: 100%; }
.console input:not([type=checkbox], [type=hidden]), .console select, .console textarea { min-height: 38px; padding: 6px 10px; font-size: 15px; }
.console textarea { min-height: 90px; font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
.console select { appearance: auto; }
.trail { margin-bottom: 4px; color: var(--soft); font-size: 14px; }
.scroll { width: 100%; overflow-x: auto; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.data { width: 100%; border-collapse: collapse; font-size: 14px; overflow-wrap: normal; }
.data caption { text-align: start; padding: 10px 8px; color: var(--soft); }
.data th, .data td { padding: 8px; text-align: start; vertical-align: top; border-top: 1px solid var(--line); }
.data th { font-weight: 600; white-space: nowrap; }
.data td { overflow-wrap: break-word; max-width: 30ch; }
.data :is(a, .mono) { overflow-wrap: anywhere; display: inline-block; min-width: 15ch; }
.data th:first-child, .data td:first-child, .data caption { padding-inline-start: 12px; }
.console .nowrap { white-space: nowrap; }
.data .number { text-align: end; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: minmax(110px, 200px) minmax(0, 1fr); gap: 6px 16px; width: 100%; font-size: 14px; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; min-width: 0; }
.mono { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 13px; }
pre.mono { white-space: pre-wrap; padding: 10px 12px; width: 100%; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.console .badge { white-space: nowrap; }
.console h3 { font-size: 15px; }
.badge.bad { color: var(--bad); }
.badge.soft { color: var(--soft); }
.pager { margin-top: 14px; display: flex; gap: 16px; align-items: center; }
.filters { width: 100%; display: flex; flex-wrap: wrap; gap: 12px; align-items: start; }
.filters > .button { margin-top: 29px; }
.filters .field { flex: 1 1 170px; max-width: 320px; }
.cards { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(230px, 1fr)); gap: 14px; }
.cards > li { padding: 14px 16px; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); }
.cards .value { font-size: 24px; font-weight: 650; font-variant-numeric: tabular-nums; }
.cards .label { color: var(--soft); font-size: 14px; display: block; }
.chart { display: block; width: 100%; height: 48px; margin-top: 8px; color: var(--accent); }
.danger-zone { padding: 16px; border: 1px solid var(--bad); border-radius: var(--radius); }
.console .danger-zone .inline { align-items: end; }
.danger-zone .inline .field ~ .button { margin-top: 0; }
.console details > summary { justify-content: flex-start; padding: 0 4px; }
.console details form { padding: 8px 0; }
.preview { width: 100%; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
.preview iframe { display: block; border: 0; height: 620px; }
.preview .phone { width: 375px; }
.preview .desktop { width: 1280px; }
.links { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 6px 18px; }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
.data .button { min-height: 32px; padding: 4px 10px; font-size: 14px; white-space: nowrap; }
@media (max-width: 760px) {
  .console { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto auto 1fr auto; }
  .side { grid-row: auto; flex-direction: row; gap: 8px; padding: 6px 10px; overflow-x: auto; border: 0; border-bottom: 1px solid var(--line); }
  .side ul { flex-direction: row; flex-wrap: nowrap; }
  .side ul::before { content: none; }
  .side a { white-space: nowrap; padding: 9px 10px; }
  .side a[aria-current] { box-shadow: inset 0 -3px 0 var(--accent); border-radius: 0; }
  .console > main { padding: 18px 14px; }
  .console > footer { grid-column: 1; padding: 8px 14px 20px; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 8px; }
  .console .inline .field { flex-basis: 100%; max-width: none; }
  .inline .field ~ .button { margin-top: 0; }
}
`
