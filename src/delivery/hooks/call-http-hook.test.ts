import { describe, expect, it } from 'vitest'
import { hookCall, hookNeeds, hookRejection, overHttp } from '../../../test/support/hooks.ts'
import {
  answering,
  answerJson,
  type ServerAnswer,
  startWebServer,
} from '../../../test/support/web-server.ts'
import { callHook } from './call-hook.ts'

const json = { 'content-type': 'application/json' }

describe("a hook's rejection", () => {
  const no =
    (error: object): ServerAnswer =>
    (response) =>
      answerJson(response, 200, { error })

  it.each([
    [{ http_code: 403, message: 'Only colleagues' }, '403 unknown: Only colleagues', true],
    [{ http_code: 429, message: 'Later' }, '429 unknown: Later', false],
    [{ http_code: 503, message: 'Later' }, '503 unknown: Later', false],
    [{ message: 'Broken' }, '500 unexpected_failure: Broken', false],
    [{ http_code: 200, message: 'Odd' }, '500 unexpected_failure: Odd', false],
    [{ http_code: '403', message: 'Odd' }, '500 unexpected_failure: Odd', false],
  ])('%j is %s', async (error, described, isFinal) => {
    expect(await hookRejection(no(error))).toEqual({ described, isFinal, times: 1 })
  })

  it('is not an error of null', async () => {
    await using server = await startWebServer((response) =>
      answerJson(response, 202, { error: null }),
    )

    expect(await callHook(hookNeeds, overHttp(server.url), hookCall())).toEqual({ error: null })
  })
})

describe('a failing hook', () => {
  it.each([
    [400, '500 unexpected_failure: Invalid payload sent to hook', true],
    [401, '500 unexpected_failure: Hook requires authorization token', false],
    [404, '500 unexpected_failure: Unexpected status code returned from hook: 404', false],
    [422, '500 unexpected_failure: Unexpected status code returned from hook: 422', true],
    [429, '500 unexpected_failure: Service currently unavailable due to hook', false],
    [503, '500 unexpected_failure: Service currently unavailable due to hook', false],
    [500, '500 unexpected_failure: Unexpected status code returned from hook: 500', false],
    [302, '500 unexpected_failure: Unexpected status code returned from hook: 302', false],
  ])('with the status %i is %s', async (status, described, isFinal) => {
    expect(await hookRejection(answering(status, { location: '/' }))).toEqual({
      described,
      isFinal,
      times: 1,
    })
  })

  it.each([
    ['text', 'text/plain', '{}'],
    ['something like JSON', 'application/jsonp', '{}'],
    ['nothing of any type', '', ''],
  ])('with the content type %s', async (_, type, body) => {
    const { described, isFinal, times } = await hookRejection(
      answering(200, { 'content-type': type }, body),
    )

    expect([described.split(':')[0], isFinal, times]).toEqual([
      '400 hook_payload_invalid_content_type',
      true,
      1,
    ])
  })

  it.each(['', '{', '[]', 'null', '"yes"'])('with the body %j', async (body) => {
    const { described } = await hookRejection(answering(200, json, body))

    expect(described).toBe('500 unexpected_failure: Error unmarshaling JSON output.')
  })

  it('with a response that is too large', async () => {
    const body = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })

    expect(await hookRejection(answering(200, json, body(204_801)))).toEqual({
      described:
        '422 hook_payload_over_size_limit: Payload size exceeded size limit of 204800 bytes',
      isFinal: true,
      times: 1,
    })
    await using server = await startWebServer(answering(200, json, body(204_800)))
    const eventCall = hookCall({ point: 'events' })
    await expect(callHook(hookNeeds, overHttp(server.url), eventCall)).resolves.toHaveProperty('a')
  })

  it('that is slow', async () => {
    const slow: ServerAnswer = (response) => response.writeHead(200, json).write('{')

    expect(await hookRejection(slow, { ...hookNeeds, hookTimeoutMs: 100 })).toEqual({
      described: '422 hook_timeout: Failed to reach hook within maximum time of 0.100000 seconds',
      isFinal: false,
      times: 1,
    })
  })

  it('with an address that is not permitted; the error contains no secret', async () => {
    const hook = overHttp('http://93.184.216.34/hook?key=s3cret')

    await expect(callHook(hookNeeds, hook, hookCall())).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(
        /^Error running hook: http:\/\/93\.184\.216\.34 is not permitted: [^?]*$/,
      ),
    })
  })
})
