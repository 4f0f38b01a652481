const font =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Inline styles, which every client supports. Light colours are the default. */
export const styles = {
  page: 'margin:0;padding:0;background-color:#f2f4f7;-webkit-text-size-adjust:100%',
  canvas: 'background-color:#f2f4f7',
  /** The preview text that an inbox shows with the subject. */
  preview:
    'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all',
  margin: 'padding:40px 16px',
  column: 'max-width:520px;margin:0 auto;text-align:start',
  site: `padding:0 8px 20px;${font};font-size:15px;line-height:22px;font-weight:600;color:#3b4252;overflow-wrap:anywhere`,
  card: 'padding:40px;background-color:#ffffff;border:1px solid #e3e6eb;border-radius:14px',
  heading: `margin:0 0 16px;${font};font-size:24px;line-height:32px;font-weight:700;letter-spacing:-0.3px;color:#14171f;overflow-wrap:anywhere`,
  paragraph: `margin:0 0 28px;${font};font-size:16px;line-height:26px;color:#3b4252;overflow-wrap:anywhere`,
  buttonTable: 'margin:0 0 24px',
  button: 'background-color:#2b50d8;border-radius:9px;mso-padding-alt:14px 28px',
  buttonLink: `display:inline-block;padding:14px 28px;${font};font-size:16px;line-height:22px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:9px`,
  small: `margin:0 0 28px;${font};font-size:13px;line-height:20px;color:#5f6b7d`,
  link: 'color:#2b50d8;text-decoration:underline;word-break:break-all',
  label: `margin:0 0 10px;${font};font-size:16px;line-height:26px;color:#3b4252`,
  code: "margin:0 0 28px;padding:16px 12px;background-color:#f2f4f7;border-radius:9px;text-align:center;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace;font-size:28px;line-height:36px;font-weight:700;letter-spacing:6px;text-indent:6px;color:#14171f;user-select:all;-webkit-user-select:all",
  closing: `margin:0;padding:20px 0 0;border-top:1px solid #e3e6eb;${font};font-size:14px;line-height:22px;color:#5f6b7d`,
  footer: `padding:20px 8px 0;${font};font-size:12px;line-height:18px;color:#5f6b7d;overflow-wrap:anywhere`,
  footerLink: 'color:#5f6b7d;text-decoration:underline',
} as const

/** Styles for clients with more support. `!important` overrides the inline styles. */
export const mailStyles = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){
.margin{padding:24px 12px!important}
.card{padding:28px 22px!important}
.wide,.wide a{width:100%!important;box-sizing:border-box}
}
@media (prefers-color-scheme:dark){
.page{background-color:#0f1115!important}
.card{background-color:#191c23!important;border-color:#2c313b!important}
.strong,.code{color:#f4f6fa!important}
.normal,.site{color:#ccd1db!important}
.quiet{color:#98a1b0!important}
p.quiet{border-color:#2c313b!important}
.link{color:#8faaff!important}
.button{background-color:#4563e6!important;color:#ffffff!important}
.code{background-color:#262b35!important}
}
`
