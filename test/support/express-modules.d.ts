/**
 * The part of Express that examples and tests use, in place of `@types/express`: we have both
 * versions, the older under another name, and those types would fit only one of them.
 */
declare module 'express' {
  import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'

  function express(): express.Express

  namespace express {
    interface Request extends IncomingMessage {
      body?: unknown
      originalUrl: string
      query: Readonly<Record<string, unknown>>
    }

    interface Response extends ServerResponse {
      /** Of any type there. */
      locals: Record<string, never>
      status(code: number): this
      json(body: unknown): this
      send(body: string): this
      redirect(url: string): void
      append(name: string, value: string): this
      set(name: string, value: string): this
    }

    type NextFunction = (error?: unknown) => void
    type Handler = (request: Request, response: Response, next: NextFunction) => unknown
    type ErrorHandler = (
      error: unknown,
      request: Request,
      response: Response,
      next: NextFunction,
    ) => unknown

    interface Express extends RequestListener {
      use(...handlers: (Handler | ErrorHandler)[]): this
      use(path: string | string[], ...handlers: (Handler | ErrorHandler)[]): this
      get(path: string, ...handlers: Handler[]): this
      post(path: string, ...handlers: Handler[]): this
      listen(port: number, onListening?: (error?: Error) => void): Server
      listen(port: number, host: string, onListening?: (error?: Error) => void): Server
    }

    interface ParserOptions {
      type?: string | (() => boolean)
      extended?: boolean
    }

    function json(options?: ParserOptions): Handler
    function urlencoded(options?: ParserOptions): Handler
    function raw(options?: ParserOptions): Handler
    function text(options?: ParserOptions): Handler
  }

  export = express
}

declare module 'express4' {
  import express = require('express')
  export = express
}
