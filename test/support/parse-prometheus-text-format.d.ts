/** The package has no types. */
declare module 'parse-prometheus-text-format' {
  /** Returns each family of series with its samples. */
  export default function parse(text: string): unknown[]
}
