import { mailboxStyle } from '../mailbox/mailbox-style.ts'

/** The style of the pages that link developers and their mailed links to other pages. */
export const landingStyle = `${mailboxStyle}
main { display: block; max-width: 40rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.4rem; margin-bottom: .75rem; }
p { margin-bottom: .75rem; overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; margin-bottom: 1rem; }
li { padding: .5rem 0; }
li a, p a { color: var(--accent); text-decoration: underline; }
li a { font-weight: 600; }
li span { display: block; color: var(--soft); }
.aside { color: var(--soft); border-top: 1px solid var(--line); padding-top: .75rem; }
code { font-family: var(--mono); font-size: .92em; }
`
