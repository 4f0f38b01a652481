import { html, type Markup } from '../../../service/pages/html.ts'

interface Point {
  label: string
  value: number
}

const width = 300
const height = 48

/** A chart of bars, made on the server. Its text alternative is the table below the charts. */
export function barChart(points: readonly Point[]): Markup {
  const max = Math.max(1, ...points.map(({ value }) => value))
  const step = width / Math.max(1, points.length)
  const bars = points.map(({ label, value }, at) => {
    const size = value === 0 ? 0 : Math.max(1, (value / max) * height)
    return html`<rect x="${(at * step).toFixed(2)}" y="${(height - size).toFixed(2)}" width="${(step * 0.8).toFixed(2)}" height="${size.toFixed(2)}"><title>${label}: ${value}</title></rect>`
  })
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" fill="currentColor" aria-hidden="true" focusable="false">${bars}</svg>`
}
