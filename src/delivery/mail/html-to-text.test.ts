import fc from 'fast-check'
import { expect, it } from 'vitest'
import { threadMs } from '../../../test/support/main-thread.ts'
import { htmlToText } from './html-to-text.ts'

it.each([
  ['<p>Hello <b>Ada</b>,</p><p>welcome.</p>', 'Hello Ada,\n\nwelcome.'],
  ['one\n   two<br>three<br/><br>four', 'one two\nthree\n\nfour'],
  ['<a href="https://a.test/x?a=1&amp;b=2">Confirm</a>', 'Confirm <https://a.test/x?a=1&b=2>'],
  ['<a href=\'https://a.test\'><img src="x"></a>', 'https://a.test'],
  ['<a href="https://a.test/">https://a.test/</a>', 'https://a.test/'],
  ['<a href="mailto:help@a.test">help@a.test</a> <a href="#top">up</a>', 'help@a.test up'],
  ['<ul><li>one</li><li>two</li></ul>after', '- one\n- two\n\nafter'],
  ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
  ['<head><title>t</title></head><style>p{}</style><script>if (a<b) x</script>text', 'text'],
  ['<!-- <p>no</p> -->yes<!--[if mso]>no<![endif]-->', 'yes'],
  [
    '&lt;b&gt; &amp;amp; &#39;&#x41;&#128578; &nbsp;&unknown; &scaron;',
    "<b> &amp; 'A🙂 &unknown; š",
  ],
  ['hy&shy;phen&zwnj;ated', 'hyphenated'],
  ['<a title="1 > 0" href="https://a.test">Confirm</a>', 'Confirm <https://a.test>'],
  ['<a href="javascript:x">up</a>', 'up'],
  ['<title>t</title><svg><title>t</title></svg>text', 'text'],
  ['<div><div><p>deep</p></div></div><div>next</div>', 'deep\n\nnext'],
  ['1 < 2', '1 < 2'],
  ['', ''],
])('the text of %j', (page, text) => {
  expect(htmlToText(page)).toBe(`${text}\n`)
})

it('converts any input, and long input in little time', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (page) => {
      htmlToText(page)
    }),
  )
  const ms = await threadMs(async () => {
    for (const piece of [
      '<a href="https://a.test/">x',
      '<!--',
      '<p>',
      '<',
      '&#',
      '<a href=',
      '\n',
    ]) {
      htmlToText(piece.repeat(50_000))
    }
  })
  expect(ms).toBeLessThan(4_000)
})
