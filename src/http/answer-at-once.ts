import type { H3Event } from 'h3'
import { Answer, jsonAnswer } from './answer.ts'

/** JSON, or nothing. */
export const answerAtOnce = (_event: H3Event, body: object | null): Answer =>
  body === null ? new Answer(204) : jsonAnswer(200, body)
