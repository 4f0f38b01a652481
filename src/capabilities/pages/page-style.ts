/**
 * The style of all pages, in both color schemes, for windows of 320 pixels and more, and for both
 * directions of text. The configuration sets the custom properties at its beginning.
 */
export const pageStyle = `:root {
  color-scheme: light dark;
  --accent: light-dark(#3451d1, #8fa4ff);
  --accent-text: light-dark(#ffffff, #0c1020);
  --background: light-dark(#f4f5f8, #0d0f14);
  --surface: light-dark(#ffffff, #171a21);
  --text: light-dark(#171a22, #eef0f5);
  --radius: 10px;
  --soft: light-dark(#565f70, #a3acbb);
  --line: light-dark(#dfe2e9, #2c323d);
  --edge: light-dark(#868e9e, #6f7889);
  --bad: light-dark(#b3261e, #ff9c93);
  --bad-soft: light-dark(#fdeceb, #331a19);
  --good: light-dark(#176639, #7fd8a4);
  --good-soft: light-dark(#e8f6ee, #12291c);
}
*, ::before, ::after { box-sizing: border-box; }
* { margin: 0; }
[hidden] { display: none !important; }
html { min-height: 100%; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; background: var(--background); }
body {
  min-height: 100vh; min-height: 100dvh; padding: 32px 16px; display: flex; flex-direction: column; align-items: center; gap: 20px;
  color: var(--text); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
  overflow-wrap: anywhere;
}
header, main, footer { width: 100%; max-width: 420px; }
.wide > * { max-width: 720px; }
header { margin-top: 4vh; text-align: center; }
.wide header { margin-top: 0; text-align: start; }
.name { font-weight: 650; font-size: 17px; letter-spacing: -.01em; }
.name img { max-height: 40px; max-width: 100%; vertical-align: middle; }
main {
  padding: 36px; background: var(--surface); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.6);
  box-shadow: 0 1px 2px rgb(0 0 0 / .04), 0 12px 32px -16px rgb(0 0 0 / .18);
}
h1 { font-size: 25px; line-height: 1.25; letter-spacing: -.02em; font-weight: 680; text-wrap: balance; }
.quoted { -webkit-box-decoration-break: clone; box-decoration-break: clone; padding: 0 .25em; border: 1px solid var(--line); border-radius: 6px; overflow-wrap: anywhere; }
h2 { font-size: 18px; line-height: 1.35; letter-spacing: -.01em; font-weight: 650; }
.lead { margin-top: 8px; color: var(--soft); }
a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px; border-radius: 4px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1 ~ form, h1 ~ .stack, h1 ~ .divider, h1 ~ section, h1 ~ .notice { margin-top: 24px; }
h1 ~ .foot { margin-top: 24px; }
.stack { display: grid; gap: 12px; }
.stack form { margin: 0; }
form { display: grid; gap: 18px; }
.field { display: grid; gap: 6px; }
.label { display: flex; justify-content: space-between; align-items: baseline; gap: 12px; flex-wrap: wrap; }
label { font-weight: 560; font-size: 15px; }
.label a { padding-block: 2px; font-size: 14px; }
.input { position: relative; display: flex; }
input:not([type=checkbox], [type=hidden]), textarea, select {
  width: 100%; min-height: 46px; padding: 10px 13px; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--edge); border-radius: var(--radius); appearance: none;
}
input:focus-visible { outline-offset: -1px; border-color: var(--accent); }
input[aria-invalid] { border-color: var(--bad); }
input[type=email], input[type=tel], [name=identifier], [name=code], [name=nonce] { direction: ltr; }
[dir=rtl] :is(input[type=email], input[type=tel], [name=identifier], [name=code]) { text-align: right; }
[name=code], [name=nonce] { font-size: 20px; letter-spacing: .12em; font-variant-numeric: tabular-nums; }
.input:has(.reveal:not([hidden])) input { padding-inline-end: 76px; }
.reveal {
  position: absolute; inset-block: 4px; inset-inline-end: 4px; padding: 0 12px; min-width: 44px; font: inherit; font-size: 14px; font-weight: 560;
  color: var(--accent); background: none; border: 0; border-radius: calc(var(--radius) - 3px); cursor: pointer;
}
.check { display: flex; gap: 10px; align-items: flex-start; }
.check input { width: 20px; height: 20px; margin-top: 1px; flex: none; accent-color: var(--accent); }
.check label { font-weight: 400; }
fieldset { border: 0; padding: 0; min-width: 0; display: grid; gap: 12px; }
legend { padding: 0; margin-bottom: 12px; font-weight: 560; font-size: 15px; }
.client img { width: 48px; height: 48px; object-fit: contain; border-radius: var(--radius); }
.hint, .detail { color: var(--soft); font-size: 14px; }
.error { color: var(--bad); font-size: 14px; font-weight: 560; }
.button {
  min-height: 46px; padding: 10px 20px; display: inline-flex; justify-content: center; align-items: center; gap: 10px; width: 100%;
  font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--text); background: var(--surface);
  border: 1px solid var(--edge); border-radius: var(--radius); cursor: pointer;
}
.button:hover { border-color: var(--text); }
.button.primary { color: var(--accent-text); background: var(--accent); border-color: transparent; }
.button.primary:hover { filter: brightness(1.07); }
.button.danger { color: var(--bad); border-color: currentColor; }
.button.quiet { color: var(--accent); background: none; border-color: transparent; }
.button.quiet:hover { text-decoration: underline; }
.button[aria-disabled=true], .button:disabled { opacity: .6; cursor: default; }
.divider { display: flex; align-items: center; gap: 14px; margin: 22px 0; color: var(--soft); font-size: 14px; }
.divider::before, .divider::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
.foot a { padding-block: 2px; }
.foot { display: grid; gap: 8px; text-align: center; font-size: 15px; color: var(--soft); }
.notice { padding: 12px 16px; border-radius: var(--radius); border: 1px solid currentColor; font-size: 15px; }
.notice.error { color: var(--bad); background: var(--bad-soft); }
.notice.success { color: var(--good); background: var(--good-soft); }
.notice.info { color: var(--soft); }
section { display: grid; gap: 16px; padding-top: 24px; border-top: 1px solid var(--line); }
section > p { color: var(--soft); font-size: 15px; }
section .button { width: auto; justify-self: start; }
.rows { list-style: none; padding: 0; display: grid; border: 1px solid var(--line); border-radius: var(--radius); }
.rows li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 10px 16px; padding: 14px 16px; }
.rows li + li { border-top: 1px solid var(--line); }
.about { flex: 1 1 220px; min-width: 0; }
.title { font-weight: 560; }
.badge { display: inline-block; padding: 1px 9px; border: 1px solid currentColor; border-radius: 99px; font-size: 13px; font-weight: 560; color: var(--good); }
.actions { display: flex; flex-wrap: wrap; gap: 8px; }
.actions .button { width: auto; min-height: 40px; padding: 6px 14px; font-size: 15px; }
.empty { color: var(--soft); }
.qr { width: 200px; height: 200px; padding: 10px; background: #fff; border: 1px solid var(--line); border-radius: var(--radius); }
.secret, .codes { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
.codes { list-style: none; padding: 18px; display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px 20px; border: 1px solid var(--line); border-radius: var(--radius); direction: ltr; }
.rules { list-style: none; padding: 0; font-size: 14px; color: var(--soft); }
.rules .met { color: var(--good); }
.enroll { margin-bottom: 24px; justify-items: start; }
details summary { min-height: 40px; display: flex; align-items: center; padding: 0 8px; font-size: 15px; font-weight: 560; color: var(--accent); cursor: pointer; border-radius: 4px; }
details[open] { flex-basis: 100%; }
details[open] form { margin-top: 8px; }
.captcha { min-height: 0; overflow: hidden; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
header nav { margin-top: 18px; }
header nav a { display: block; padding: 6px 0; color: var(--soft); text-decoration: none; font-weight: 560; font-size: 15px; border-bottom: 2px solid transparent; border-radius: 0; }
header nav a:hover { color: var(--text); }
header nav a[aria-current] { color: var(--text); border-color: var(--accent); }
footer { font-size: 14px; color: var(--soft); }
footer ul { justify-content: center; }
footer a, footer span { display: inline-block; padding: 4px 2px; }
footer a { color: inherit; }
footer span { font-weight: 600; }
@media (max-width: 480px) {
  body { padding: 20px 12px; }
  main { padding: 26px 20px; }
}
@media (prefers-reduced-motion: no-preference) {
  .button, input { transition: border-color .12s, filter .12s; }
}
`
