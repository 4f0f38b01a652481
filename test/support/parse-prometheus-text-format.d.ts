/** The package brings no types. */
declare module 'parse-prometheus-text-format' {
  /** What each family of series is, and its samples. */
  export default function parse(text: string): unknown[]
}
