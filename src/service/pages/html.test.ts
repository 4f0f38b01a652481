import { expect, it } from 'vitest'
import { html, verbatim } from './html.ts'

it('escapes inserted values, in text and in attributes', () => {
  const nasty = `<script>alert("1")</script> & 'x'`
  const safe = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;'
  expect(html`<p title="${nasty}">${nasty}</p>`.markup).toBe(`<p title="${safe}">${safe}</p>`)
})

it('accepts its own results, lists of them, and empty values', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`)
  expect(html`<ol>${items}</ol>${null}${false}${undefined}${0}${''}`.markup).toBe(
    '<ol><li>a</li><li>&lt;b&gt;</li></ol>0',
  )
})

it('keeps text that is marked as HTML', () => {
  expect(html`${verbatim('a > b')}`.markup).toBe('a > b')
})
