/** A QR code generated in the browser, so that no third party receives its content. */
import { useMemo } from 'react'
import { encode } from 'uqr'

export function QrCode({
  text,
  label,
  look: style,
}: {
  readonly text: string
  /** Text alternative for screen readers. */
  readonly label: string
  readonly look?: Parameters<typeof encode>[1]
}) {
  const { size, path } = useMemo(() => {
    const { size: modules, data } = encode(text, style)
    const cells = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    )
    return { size: modules, path: cells.join('') }
  }, [text, style])
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
