/** A QR code generated in the browser, so that no third party receives its content. */
import { useMemo } from 'react'
import { encode } from 'uqr'

export function QrCode({
  text,
  label,
  options,
}: {
  readonly text: string
  /** Text alternative for screen readers. */
  readonly label: string
  readonly options?: Parameters<typeof encode>[1]
}) {
  const { size, path } = useMemo(() => {
    const { size: modules, data } = encode(text, options)
    const cells = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    )
    return { size: modules, path: cells.join('') }
  }, [text, options])
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
