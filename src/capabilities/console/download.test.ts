import { describe, expect, it } from 'vitest'
import { csvLine } from './download.ts'

describe('S146: a line of a CSV file', () => {
  it.each([
    ['=1+1', `"'=1+1"`],
    ['\uff1d1', `"'\uff1d1"`],
    [' @SUM(A1)', `" '@SUM(A1)"`],
    ['\t=1', `"\t'=1"`],
    ['https://app.example.test/x;=cmd|A0;', `"https://app.example.test/x;'=cmd|A0;"`],
    ['a, -b', `"a, '-b"`],
    ['a\n=1', `"a\n'=1"`],
    ['a; =1', `"a; '=1"`],
    ['x;"=1+1;y', `"x;""'=1+1;y"`],
    ['x; ""-1+1', `"x; """"'-1+1"`],
    ['x;-1+1;y', `"x;'-1+1;y"`],
    ['+1', `"'+1"`],
    ['a+b=c', 'a+b=c'],
    ['-1', '-1'],
    ['-1.5e+7', '-1.5e+7'],
    [`-1|'c'!A0`, `"'-1|'c'!A0"`],
    ['-1,HYPERLINK("http://x")', `"'-1,HYPERLINK(""http://x"")"`],
    ['x;-1;y', `"x;'-1;y"`],
    ['[1,-2', `"[1,'-2"`],
    ['["x;-1|c",-2]', `"[""x;'-1|c"",-2]"`],
    ['["\\";-1|c",-2]', `"[""\\"";'-1|c"",-2]"`],
    ['{"a":[1,-2,-0.5e-7]}', '"{""a"":[1,-2,-0.5e-7]}"'],
    ['2026-11-30T10:00:00Z', '2026-11-30T10:00:00Z'],
    ['say "no"', `"say ""no"""`],
  ])('contains no formula at any separator: %j', (cell, expected) => {
    expect(csvLine([cell, null, 'end'])).toBe(`${expected},,end\r\n`)
  })
})
