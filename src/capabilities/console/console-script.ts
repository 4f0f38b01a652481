/** The script of the console. Every page works without it. */
export const consoleScript = `// Unsaved changes: the browser requires a confirmation before it leaves the page.
const changed = new Set()
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('input', () => changed.add(form))
  form.addEventListener('submit', () => changed.clear())
}
addEventListener('beforeunload', (event) => {
  if (changed.size > 0) event.preventDefault()
})

// A select of a filter applies it at once; without scripts its button does.
for (const select of document.querySelectorAll('select[data-submit]')) {
  select.addEventListener('change', () => select.form.requestSubmit())
}
`
