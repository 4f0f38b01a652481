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
  /** Creates the waiting spans. */
  drain(): void
}

/**
 * Creates a tracer's spans in batches, after they have ended. A span whose ids are read, for
 * example for the headers of a request, is created at once, and so are its ancestors.
 */
export function lateSpans(tracer: Tracer): LateTracer {
  const ended = inBatches<LateSpan>((span) => span.finish())
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

/**
 * Records the data of a span until it is created. A class, as OpenTelemetry's spans are objects
 * with many methods.
 */
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

  /** Applies the recorded data to the tracer's span, and ends it. */
  finish(): void {
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
    // The context contains the parent span.
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

  /** Its duration is that of the monotonic clock, even if the time of day changes. */
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
