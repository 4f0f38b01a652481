/**
 * The style of the mails that contain the link, in both color schemes, for windows of 320 pixels
 * and more.
 */
export const confirmLinkStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f2f4f7, #0f1115);
  --card: light-dark(#ffffff, #191c23);
  --line: light-dark(#e3e6eb, #2c313b);
  --strong: light-dark(#14171f, #f4f6fa);
  --normal: light-dark(#3b4252, #ccd1db);
  --quiet: light-dark(#5f6b7d, #98a1b0);
  --fill: light-dark(#2b50d8, #4563e6);
}
* { box-sizing: border-box; margin: 0; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  min-height: 100%; display: grid; place-content: center; grid-template-columns: minmax(0, 520px);
  gap: 20px; padding: 40px 16px; background: var(--page); color: var(--normal);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif;
}
.site { padding: 0 8px; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
main { padding: 40px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: anywhere; }
h1 { margin-bottom: 16px; text-wrap: balance; font-size: 24px; line-height: 1.3; font-weight: 700; letter-spacing: -.3px; color: var(--strong); }
form { margin: 28px 0; }
button {
  min-height: 50px; padding: 12px 28px; border: 0; border-radius: 9px; background: var(--fill); color: #fff;
  font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button:disabled { opacity: .6; cursor: default; }
button:focus-visible { outline: 3px solid var(--fill); outline-offset: 3px; }
.closing { padding-top: 20px; border-top: 1px solid var(--line); font-size: 14px; color: var(--quiet); }
@media (max-width: 480px) {
  body { padding: 24px 12px; }
  main { padding: 28px 22px; }
  button { width: 100%; }
}
`
