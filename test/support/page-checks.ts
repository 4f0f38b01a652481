import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** Adds axe-core to pages. The content security policy of the page has to be bypassed. */
export const axe = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/** The rules are checked at both widths and in both color schemes, in half of the time. */
const windows = [
  { width: 375, colorScheme: 'light', hasRules: true },
  { width: 375, colorScheme: 'dark', hasRules: false },
  { width: 1280, colorScheme: 'light', hasRules: false },
  { width: 1280, colorScheme: 'dark', hasRules: true },
] as const

/**
 * Returns the violations of WCAG 2.2 A and AA of a page in both color schemes, and the pixels by
 * which it exceeds its windows.
 */
export async function violationsIn(
  page: Page,
  name: string,
  afterEach: (at: { width: number; colorScheme: string }) => Promise<void> = async () => {},
): Promise<string[]> {
  const found: string[] = []
  await page.evaluate(axe)
  for (const { width, colorScheme, hasRules } of windows) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const at = `${name} ${width} ${colorScheme}`
    const { tooWide, violations } = await page.evaluate(examine, hasRules)
    if (tooWide > 0) found.push(`${at}: ${tooWide} pixels too wide`)
    found.push(...violations.map((one) => `${at}: ${one}`))
    await afterEach({ width, colorScheme })
  }
  const headings = await page.locator('h1').count()
  if (headings !== 1) found.push(`${name}: ${headings} headings of the first level`)
  return found
}

/**
 * Returns the elements of a page that exceed windows of these widths, and the words of headings,
 * labels and buttons that are broken without a hyphen.
 */
export async function overflowsIn(
  page: Page,
  name: string,
  widths: readonly number[],
): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const outside = await page.evaluate(findOutside)
    const broken = await page.evaluate(findBrokenWords)
    found.push(...[...outside, ...broken].map((one) => `${name} ${width}: ${one}`))
  }
  return found
}

/** Returns the controls of a page that the Tab key does not reach, or whose focus is not visible. */
export async function unreachedIn(page: Page, name: string): Promise<string[]> {
  const controls = await page.evaluate(markControls)
  const found: string[] = []
  const reached = new Set<string>()
  for (let pressed = 0; pressed < controls.length + 20; pressed++) {
    await page.keyboard.press('Tab')
    const { id, isVisible } = await page.evaluate(focused)
    if (id === null) continue
    if (!reached.has(id) && !isVisible) {
      found.push(`${name}: the focus is not visible on ${controls[Number(id)]}`)
    }
    reached.add(id)
    if (reached.size === controls.length) break
  }
  const missed = controls.filter((_, id) => !reached.has(String(id)))
  return [...found, ...missed.map((one) => `${name}: the keyboard does not reach ${one}`)]
}

/** Returns the fields of a page in which the Enter key does not submit their form. */
export async function unsubmittedIn(page: Page, name: string): Promise<string[]> {
  const fields = await page.evaluate(markFields)
  const found: string[] = []
  for (const [id, field] of fields.entries()) {
    await page.locator(`[data-field="${id}"]`).focus()
    await page.keyboard.press('Enter')
    if (!(await page.evaluate(wasSubmitted, String(id)))) {
      found.push(`${name}: the Enter key does not submit ${field}`)
    }
  }
  return found
}

// The page's own types differ from the test's.
interface Element {
  tagName: string
  className: string
  textContent: string
  type?: string
  dataset: Record<string, string>
  form?: Element | null
  matches(selector: string): boolean
  closest(selector: string): Element | null
  checkVisibility(): boolean
  childNodes: Iterable<{ nodeType: number; data: string }>
  getAttribute(name: string): string | null
  getBoundingClientRect(): {
    width: number
    height: number
    left: number
    bottom: number
    right: number
  }
}
declare const document: {
  activeElement: Element | null
  querySelectorAll(selector: string): Iterable<Element>
  addEventListener(
    type: string,
    listener: (event: {
      target: Element
      preventDefault(): void
      stopImmediatePropagation(): void
    }) => void,
    isCapture: boolean,
  ): void
  documentElement: { scrollWidth: number; clientWidth: number }
  createRange(): {
    setStart(node: object, offset: number): void
    setEnd(node: object, offset: number): void
    getClientRects(): Iterable<{ top: number }>
  }
}
declare const window: {
  axe?: {
    run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
  }
}
declare const getComputedStyle: (element: Element) => {
  outlineStyle: string
  outlineWidth: string
  outlineColor: string
}

/** Runs in the page. Returns the violations, and the pixels by which it exceeds its window. */
async function examine(hasRules: boolean): Promise<{ tooWide: number; violations: string[] }> {
  const { scrollWidth, clientWidth } = document.documentElement
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const runOnly = { type: 'tag', values: tags } as const
  const result = hasRules ? await window.axe?.run({ iframes: false, runOnly }) : null
  return {
    tooWide: Math.max(0, scrollWidth - clientWidth),
    violations: (result?.violations ?? []).map(
      ({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html.slice(0, 120)).join(', ')}`,
    ),
  }
}

/** Runs in the page. Returns the elements outside the window that no region of theirs scrolls. */
function findOutside(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const found = scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} pixels too wide`] : []
  for (const element of document.querySelectorAll('body *')) {
    if (!element.checkVisibility() || element.closest('.scroll, .preview, .side, .skip, pre'))
      continue
    const { left, right, width } = element.getBoundingClientRect()
    if (width === 0 || (left > -1 && right < clientWidth + 1)) continue
    found.push(`<${element.tagName}> ${element.textContent.trim().slice(0, 60)}`)
  }
  return found
}

/** Runs in the page. Returns the words that occupy two lines. A soft hyphen divides a word. */
function findBrokenWords(): string[] {
  const found: string[] = []
  const range = document.createRange()
  for (const element of document.querySelectorAll(
    'h1, h2, label, button, summary, .button, nav a',
  )) {
    if (!element.checkVisibility()) continue
    for (const node of element.childNodes) {
      if (node.nodeType !== 3) continue
      for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        const lineOf = (offset: number, box: number) => {
          range.setStart(node, offset)
          range.setEnd(node, offset + 1)
          return Math.round([...range.getClientRects()].at(box)?.top ?? 0)
        }
        // A soft hyphen that ends a line is the first box of the letter after it.
        const isBroken = lineOf(index, -1) !== lineOf(index + word.length - 1, 0)
        if (word.length > 1 && isBroken) found.push(`${word} is broken`)
      }
    }
  }
  return found
}

/** Runs in the page. Numbers its controls, and returns their descriptions. */
function markControls(): string[] {
  const selector =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex="0"]'
  const found: string[] = []
  for (const control of document.querySelectorAll(selector)) {
    if (!control.checkVisibility()) continue
    control.dataset['control'] = String(found.length)
    const name = control.getAttribute('name') ?? control.textContent.trim().slice(0, 60)
    found.push(`<${control.tagName.toLowerCase()}> ${name}`)
  }
  return found
}

/** Runs in the page. Returns the control that has the focus, and whether its outline is visible. */
function focused(): { id: string | null; isVisible: boolean } {
  const { activeElement: active } = document
  if (!active || active.matches('body')) return { id: null, isVisible: true }
  const { width, height, bottom, right } = active.getBoundingClientRect()
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(active)
  const hasOutline =
    outlineStyle !== 'none' &&
    Number.parseFloat(outlineWidth) > 0 &&
    !/^transparent$|, 0\)$/.test(outlineColor)
  // A frame draws the focus in its own document.
  const isShown = hasOutline || active.matches('iframe')
  const isVisible = isShown && width > 0 && height > 0 && bottom > 0 && right > 0
  return { id: active.dataset['control'] ?? null, isVisible }
}

/**
 * Runs in the page. Numbers its fields, and returns their names. From now on submissions are noted
 * and sent nowhere. A form that the browser rejects for an empty field was submitted, too.
 */
function markFields(): string[] {
  const types = 'input:not([type=hidden], [type=checkbox], [type=radio])'
  const found: string[] = []
  for (const field of document.querySelectorAll(types)) {
    if (!field.checkVisibility()) continue
    field.dataset['field'] = String(found.length)
    found.push(field.getAttribute('name') ?? '')
  }
  const note = (form: Element | null | undefined) => {
    if (form) form.dataset['submitted'] = '1'
  }
  document.addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      note(event.target)
    },
    true,
  )
  document.addEventListener('invalid', (event) => note(event.target.form), true)
  return found
}

/** Runs in the page. Returns whether the form of a field was submitted, and notes it no more. */
function wasSubmitted(id: string): boolean {
  for (const field of document.querySelectorAll(`[data-field="${id}"]`)) {
    const { form } = field
    if (form?.dataset['submitted'] !== '1') return false
    delete form.dataset['submitted']
    return true
  }
  return false
}
