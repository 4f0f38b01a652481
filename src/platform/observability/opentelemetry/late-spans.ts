import type {
  Context,
  Link,
  Span,
  SpanAttributes,
  SpanAttributeValue,
  SpanContext,
  SpanKind,
  SpanOptions,
  SpanStatus,
  TimeInput,
  Tracer,
} from '@opentelemetry/api'
import { inBatches } from './in-batches.ts'
import type { Traces } from './signals.ts'

interface LateTracer {
  tracer: Traces['tracer']
  /** Makes the spans that wait. */
  drain(): void
}

/**
 * Has a tracer make spans after they have ended, many in a row. A span whose ids somebody asks for, as to name it to
 * another service, is made at once, and so are those that it is a part of.
 */
export function lateSpans(tracer: Tracer): LateTracer {
  const ended = inBatches<LateSpan>((span) => span.handOver())
  const needs = { tracer, onEnd: ended.add }
  return {
    tracer: {
      startSpan: (name, options = {}, context) => new LateSpan(needs, name, options, context),
    },
    drain: ended.drain,
  }
}

interface Needs {
  tracer: Tracer
  onEnd: (span: LateSpan) => void
}

/** Keeps what is said of it until it is made. A class, as OpenTelemetry's spans are objects with many methods. */
class LateSpan implements Span {
  readonly #needs: Needs
  readonly #startedAt = performance.now()
  readonly #startTime = Date.now()
  readonly #kind: SpanKind | undefined
  #context: Context | undefined
  #name: string
  #attributes: SpanAttributes | undefined
  #status: SpanStatus | undefined
  #endTime: TimeInput | undefined
  #made: Span | undefined

  constructor(needs: Needs, name: string, options: SpanOptions, context: Context | undefined) {
    this.#needs = needs
    this.#name = name
    this.#kind = options.kind
    this.#attributes = options.attributes
    this.#context = context
  }

  /** Gives the tracer's own span what is left to say, and ends it. */
  handOver(): void {
    const span = this.#make()
    if (this.#status) span.setStatus(this.#status)
    span.end(this.#endTime)
  }

  #make(): Span {
    if (this.#made) return this.#made
    const options: SpanOptions = { startTime: this.#startTime }
    if (this.#attributes) options.attributes = this.#attributes
    if (this.#kind !== undefined) options.kind = this.#kind
    this.#made = this.#needs.tracer.startSpan(this.#name, options, this.#context)
    // The context holds the span that this one is a part of.
    this.#context = undefined
    return this.#made
  }

  spanContext(): SpanContext {
    return this.#make().spanContext()
  }

  setAttribute(key: string, value: SpanAttributeValue): this {
    return this.setAttributes({ [key]: value })
  }

  setAttributes(attributes: SpanAttributes): this {
    if (!this.isRecording()) return this
    if (this.#made) this.#made.setAttributes(attributes)
    else this.#attributes = this.#attributes ? { ...this.#attributes, ...attributes } : attributes
    return this
  }

  updateName(name: string): this {
    if (!this.isRecording()) return this
    if (this.#made) this.#made.updateName(name)
    else this.#name = name
    return this
  }

  setStatus(status: SpanStatus): this {
    if (this.isRecording()) this.#status = status
    return this
  }

  /** Its duration is that of the monotonic clock, wherever the time of day is set to meanwhile. */
  end(endTime: TimeInput = this.#startTime + performance.now() - this.#startedAt): void {
    if (!this.isRecording()) return
    this.#endTime = endTime
    this.#needs.onEnd(this)
  }

  isRecording(): boolean {
    return this.#endTime === undefined
  }

  addEvent(...given: Parameters<Span['addEvent']>): this {
    if (this.isRecording()) this.#make().addEvent(...given)
    return this
  }

  addLink(link: Link): this {
    return this.addLinks([link])
  }

  addLinks(links: Link[]): this {
    if (this.isRecording()) this.#make().addLinks(links)
    return this
  }

  recordException(...given: Parameters<Span['recordException']>): void {
    if (this.isRecording()) this.#make().recordException(...given)
  }
}
