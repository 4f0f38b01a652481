/**
 * The script of the page. The server renders all content. The script takes new messages from a
 * newly requested page, and copies texts by buttons.
 */
export const mailboxScript = String.raw`
const find = (id) => document.getElementById(id)
const announce = (text) => { find('news').textContent = text }

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.classList.add('copied')
    setTimeout(() => button.classList.remove('copied'), 1500)
    announce('Copied')
  } catch {
    announce('The browser does not permit copying')
  }
})

let unseen = 0
const count = (change) => {
  unseen = change
  document.title = document.title.replace(/^\(\d+\) /, '')
  if (unseen > 0) document.title = '(' + unseen + ') ' + document.title
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) count(0) })

const redraw = async () => {
  const answer = await fetch(location.href)
  if (!answer.ok) return
  // The style of that page has a nonce that is not good for this one.
  const text = (await answer.text()).replace(/<head>.*?<\/head>/s, '')
  const drawn = new DOMParser().parseFromString(text, 'text/html')
  const wanted = [...drawn.querySelectorAll('#messages > li')]
  const ids = new Set(wanted.map(({ id }) => id))
  const list = find('messages')
  for (const item of [...list.children]) if (!ids.has(item.id)) item.remove()
  // Items that are there stay as they are, and so does the focus in them.
  for (const item of wanted.reverse()) if (!find(item.id)) list.prepend(document.adoptNode(item))
  if (!document.body.classList.contains('latest') || find('shown').contains(document.activeElement)) return
  const newest = list.querySelector('.item')
  for (const item of list.querySelectorAll('[aria-current]')) item.removeAttribute('aria-current')
  newest?.setAttribute('aria-current', 'true')
  find('shown').replaceChildren(...drawn.getElementById('shown').childNodes)
}

let waiting
const show = (state, words) => {
  clearTimeout(waiting)
  find('live').className = state
  find('live').querySelector('.words').textContent = words
}
const events = new EventSource(document.body.dataset.events)
events.addEventListener('open', () => show('on', 'Live'))
events.addEventListener('error', () => {
  // The server ends each connection after a while, and the browser makes the next.
  clearTimeout(waiting)
  if (events.readyState === EventSource.CLOSED) show('off', 'Locked: open the address that was printed at the last start')
  else waiting = setTimeout(() => show('off', 'Latchkey is not running'), 3000)
})
events.addEventListener('message', async ({ data }) => {
  await redraw()
  if (document.hidden) count(unseen + 1)
  announce(data)
})
`
