/** The file field: uploads a file as soon as it is selected, and shows the progress. */
import type { WidgetProps } from '@rjsf/utils'
import { useEffect, useRef, useState } from 'react'
import { assertNever } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { useControl } from '../fields/field-control.tsx'
import { fetchSending, useProof } from './upload-progress.ts'
import type { Proof } from './chosen-file.ts'
import { sizeText } from '../../ui/file-size.ts'
import './upload-field.css'

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
          {proof ? 'Choose another file' : 'Choose file'}
        </label>
        {proof === null ? (
          <span className="small mute wide-only">or drop it here</span>
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
        {isUnderway ? 'Cancel' : 'Remove'}
        <span className="vh"> {proof.name}</span>
      </button>
      {proof.is === 'sending' && (
        <progress max={100} value={proof.percent} aria-label={`Sending ${proof.name}`} />
      )}
    </div>
  )
}

const BAD_LINE = 'Your connection is weak. We are still trying to send it.'

/** Progress as text. */
function saidOf(proof: Proof): string {
  switch (proof.is) {
    case 'preparing':
      return 'Getting it ready…'
    case 'sending':
      return `Sending ${sizeText(proof.bytes)}: ${proof.percent}%`
    case 'waiting':
      return BAD_LINE
    case 'there':
      return `${sizeText(proof.bytes)}, sent`
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
      return `Sending ${proof.name}`
    case 'waiting':
      return BAD_LINE
    case 'there':
      return `${proof.name} has been sent`
    case 'here':
      return `${proof.name} is chosen`
    default:
      return assertNever(proof)
  }
}
