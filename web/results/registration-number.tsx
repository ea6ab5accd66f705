/** A registration number in groups of digits, with a copy button. */
import { useRef, useState } from 'react'
import { RESULT_MESSAGES } from '../../engine/messages.ts'
import type { PublicEvent } from '../../engine/index.ts'
import { Icon } from '../ui/icons-and-logo.tsx'

/**
 * Prefix, then groups of four digits. The gaps are drawn by CSS, so that copying gives the unbroken
 * number.
 */
export function groupsOf(event: PublicEvent, number: string): readonly string[] {
  const { prefix } = event.orderId
  const rest = number.startsWith(prefix) ? number.slice(prefix.length) : ''
  return /^\d+$/.test(rest) ? [prefix, ...(rest.match(/.{1,4}/g) ?? [])] : [number]
}

export function Grouped({
  event,
  number,
}: {
  readonly event: PublicEvent
  readonly number: string
}) {
  return (
    <span className="gid">
      {groupsOf(event, number).map((group, index) => (
        <span key={index}>{group}</span>
      ))}
    </span>
  )
}

/** The number as on the ticket, with a copy button. */
export function NumberToKeep({
  event,
  number,
  label,
}: {
  readonly event: PublicEvent
  readonly number: string
  readonly label: string
}) {
  const [copied, setCopied] = useState(false)
  const text = useRef<HTMLParagraphElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(number)
      setCopied(true)
    } catch {
      // The clipboard needs a secure context; without it, select the number, so that one gesture
      // copies it.
      if (text.current) getSelection()?.selectAllChildren(text.current)
    }
  }
  return (
    <>
      <div className="reg">
        <p className="k">{label}</p>
        <p className="v" ref={text}>
          {groupsOf(event, number).map((group, index) => (
            <span key={index}>{group}</span>
          ))}
        </p>
      </div>
      <p className="cp">
        <button type="button" className="btn line sm" onClick={() => void copy()}>
          <Icon name={copied ? 'tick' : 'copy'} />
          {copied ? RESULT_MESSAGES.number.copied : RESULT_MESSAGES.number.copy}
        </button>
        <span className="vh" role="status">
          {copied ? RESULT_MESSAGES.number.copiedStatus : ''}
        </span>
      </p>
    </>
  )
}
