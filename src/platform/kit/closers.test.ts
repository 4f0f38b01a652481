import { expect, it } from 'vitest'
import { createClosers } from './closers.ts'

const closing = (...outcomes: ('closed' | 'fails')[]) => {
  const closers = createClosers()
  const order: number[] = []
  for (const [index, outcome] of outcomes.entries())
    closers.add(async () => {
      order.push(index)
      if (outcome === 'fails') throw new Error(`part ${index}`)
    })
  return { closers, order }
}

it('closes the latest part first, and each part once', async () => {
  const { closers, order } = closing('closed', 'closed', 'closed')
  await closers.close()
  await closers.close()
  expect(order).toEqual([2, 1, 0])
})

it('waits for the end in each of two concurrent calls', async () => {
  const closers = createClosers()
  const { promise, resolve } = Promise.withResolvers<void>()
  let isClosed = false
  closers.add(() => promise.then(() => (isClosed = true)))
  const [first, second] = [closers.close(), closers.close()]
  const early = await Promise.race([second.then(() => 'ended'), Promise.resolve('waits')])
  resolve()
  await Promise.all([first, second])

  expect([early, isClosed]).toEqual(['waits', true])
})

it('closes the other parts where one fails, and reports its error', async () => {
  const { closers, order } = closing('closed', 'fails', 'closed')
  await expect(closers.close()).rejects.toThrow('part 1')
  expect(order).toEqual([2, 1, 0])
})

it('reports the errors of several parts together', async () => {
  const { closers } = closing('fails', 'closed', 'fails')
  const error = await closers.close().catch((reason: unknown) => reason)
  expect((error as AggregateError).errors.map(String)).toEqual(['Error: part 2', 'Error: part 0'])
})
