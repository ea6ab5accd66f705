/** A text as a QR code, drawn in the browser, so that nobody else learns of it. */
import { useMemo } from 'react'
import { encode } from 'uqr'

export function QrCode({
  text,
  label,
  look,
}: {
  readonly text: string
  /** What it is, for whoever does not see it. */
  readonly label: string
  readonly look?: Parameters<typeof encode>[1]
}) {
  const { size, path } = useMemo(() => {
    const { size: modules, data } = encode(text, look)
    const cells = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    )
    return { size: modules, path: cells.join('') }
  }, [text, look])
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
