/** The file field: uploads a file as soon as it is selected, and shows the progress. */
import type { WidgetProps } from '@rjsf/utils'
import { useEffect, useRef, useState } from 'react'
import { assertNever } from '../../../engine/index.ts'
import {
  COMMON_MESSAGES,
  CONNECTION_ERROR_MESSAGES,
  FORM_MESSAGES,
  formatMessage,
} from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { hiddenText, richMessage } from '../../ui/rich-message.tsx'
import { useControl } from '../fields/field-control.tsx'
import { fetchSending, useProof } from './upload-progress.ts'
import type { Proof } from './chosen-file.ts'
import { sizeText } from '../../ui/file-size.ts'
import './upload-field.css'

const { file: common } = COMMON_MESSAGES
const { file: text } = FORM_MESSAGES

/**
 * The theme has no file widget, and RJSF's own stores the file as text in the answers. Here the
 * form data holds the file's name, and upload-progress.ts the file.
 */
export function Upload(props: WidgetProps) {
  const { id } = props
  const { field, constants, leave, aria } = useControl(props)
  const { proofs } = constants
  const proof = useProof(proofs, field.id)
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)

  const take = (chosen: File | undefined) => {
    if (!chosen) return
    setRefused(null)
    proofs.take(field, chosen, setRefused)
  }
  useEffect(() => {
    // A file selected before hydration.
    const { current } = input
    const early = current?.files?.[0]
    if (!current || !early) return
    proofs.take(field, early, setRefused)
    current.value = ''
  }, [proofs, field])
  const remove = () => {
    setRefused(null)
    proofs.remove(field.id)
    input.current?.focus()
  }
  const described = [aria['aria-describedby'], refused && `${id}-refused`].filter(Boolean).join(' ')
  return (
    <>
      {refused !== null && (
        <p className="msg" id={`${id}-refused`} role="alert">
          <Icon name="bang" />
          {refused}
        </p>
      )}
      <div
        className={over ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          take(event.dataTransfer.files[0])
        }}
      >
        <input
          ref={input}
          type="file"
          id={id}
          name={field.id}
          className="vh file"
          aria-labelledby={`${id}-label ${id}-button`}
          {...aria}
          {...(described ? { 'aria-describedby': described } : {})}
          aria-required={undefined}
          {...(field.accept
            ? { accept: field.accept.map((ending) => `.${ending}`).join(',') }
            : {})}
          onChange={(event) => {
            take(event.target.files?.[0])
            event.target.value = ''
          }}
          onBlur={leave}
          // Load the upload code while the browser's file dialog is open.
          onFocus={fetchSending}
          onClick={fetchSending}
        />
        <label className="btn line" htmlFor={id} id={`${id}-button`}>
          <Icon name="up" />
          {proof ? common.chooseAnother : common.choose}
        </label>
        {proof === null ? (
          <span className="small mute wide-only">{text.drop}</span>
        ) : (
          <Chosen proof={proof} remove={remove} />
        )}
        <p className="vh" role="status">
          {proof === null ? '' : heardOf(proof)}
        </p>
      </div>
    </>
  )
}

function Chosen({ proof, remove }: { readonly proof: Proof; readonly remove: () => void }) {
  const isUnderway = proof.is !== 'there' && proof.is !== 'here'
  return (
    <div className={`kept ${proof.is}`}>
      <Icon name={proof.is === 'there' ? 'tick' : proof.is === 'waiting' ? 'clock' : 'file'} />
      <b>{proof.name}</b>
      <span className="mute">{saidOf(proof)}</span>
      <button type="button" className="btn quiet sm" onClick={remove}>
        {richMessage(isUnderway ? text.cancel : text.remove, {
          hidden: hiddenText,
          name: proof.name,
        })}
      </button>
      {proof.is === 'sending' && (
        <progress
          max={100}
          value={proof.percent}
          aria-label={formatMessage(text.sending, { name: proof.name })}
        />
      )}
    </div>
  )
}

/** Progress as text. */
function saidOf(proof: Proof): string {
  switch (proof.is) {
    case 'preparing':
      return text.preparing
    case 'sending':
      return formatMessage(text.progress, {
        size: sizeText(proof.bytes),
        percent: proof.percent,
      })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'there':
      return formatMessage(text.sent, { size: sizeText(proof.bytes) })
    case 'here':
      return sizeText(proof.bytes)
    default:
      return assertNever(proof)
  }
}

/** Progress for screen readers: each state once, without running numbers. */
function heardOf(proof: Proof): string {
  switch (proof.is) {
    case 'preparing':
    case 'sending':
      return formatMessage(text.sending, { name: proof.name })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'there':
      return formatMessage(text.uploaded, { name: proof.name })
    case 'here':
      return formatMessage(text.selected, { name: proof.name })
    default:
      return assertNever(proof)
  }
}
