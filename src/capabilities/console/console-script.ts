/** The script of the console. Every page works without it. */
export const consoleScript = `// Unsaved changes: the browser requires a confirmation before it leaves the page.
const changed = new Set()
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('input', () => changed.add(form))
  form.addEventListener('submit', () => changed.delete(form))
}
addEventListener('beforeunload', (event) => {
  if (changed.size > 0) event.preventDefault()
})

// In narrow windows the navigation is one line, which begins at the present page.
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
`
