/** A registration number in groups of digits, with a copy button. */
import { useRef, useState } from 'react'
import { RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'

/**
 * Splits a number into its prefix and groups of four digits. CSS adds the gaps, so that the copied
 * number has none.
 */
export function splitNumber(event: PublicEvent, number: string): readonly string[] {
  const { prefix } = event.orderId
  const digits = number.startsWith(prefix) ? number.slice(prefix.length) : ''
  return /^\d+$/.test(digits) ? [prefix, ...(digits.match(/.{1,4}/g) ?? [])] : [number]
}

export function GroupedNumber({
  event,
  number,
}: {
  readonly event: PublicEvent
  readonly number: string
}) {
  return (
    <span className="grouped-number">
      {splitNumber(event, number).map((group, index) => (
        <span key={index}>{group}</span>
      ))}
    </span>
  )
}

/** Shows the number as on the ticket, with a copy button. */
export function NumberWithCopyButton({
  event,
  number,
  label,
}: {
  readonly event: PublicEvent
  readonly number: string
  readonly label: string
}) {
  const [isCopied, setCopied] = useState(false)
  const text = useRef<HTMLParagraphElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(number)
      setCopied(true)
    } catch {
      // The clipboard needs a secure context. Without one, the number is selected, so that one gesture copies it.
      if (text.current) getSelection()?.selectAllChildren(text.current)
    }
  }
  return (
    <>
      <div className="reg">
        <p className="k">{label}</p>
        <p className="v" ref={text}>
          {splitNumber(event, number).map((group, index) => (
            <span key={index}>{group}</span>
          ))}
        </p>
      </div>
      <p className="copy-status">
        <button type="button" className="btn line sm" onClick={() => void copy()}>
          <Icon name={isCopied ? 'tick' : 'copy'} />
          {isCopied ? RESULT_MESSAGES.number.copied : RESULT_MESSAGES.number.copy}
        </button>
        <span className="vh" role="status">
          {isCopied ? RESULT_MESSAGES.number.copiedStatus : ''}
        </span>
      </p>
    </>
  )
}
