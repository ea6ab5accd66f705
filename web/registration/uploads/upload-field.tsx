/** The file field: uploads a file as soon as it is selected, and shows the progress. */
import type { WidgetProps } from '@rjsf/utils'
import { useEffect, useRef, useState } from 'react'
import { assertNever } from '../../../engine/index.ts'
import {
  CONNECTION_ERROR_MESSAGES,
  formatMessage,
  UPLOAD_MESSAGES,
} from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { renderHiddenText, renderMessage } from '../../ui/rich-message.tsx'
import { useControl } from '../fields/field-control.tsx'
import { preloadUploadCode, useProof } from './upload-progress.ts'
import type { Proof } from './chosen-file.ts'
import { formatFileSize } from '../../ui/file-size.ts'
import './upload-field.css'

/**
 * The theme has no file widget, and RJSF's own stores the file as text in the answers. Here the form data contains
 * the file's name, and upload-progress.ts keeps the file.
 */
export function Upload(props: WidgetProps) {
  const { id } = props
  const { field, constants, onLeave, aria } = useControl(props)
  const { proofs } = constants
  const proof = useProof(proofs, field.id)
  const input = useRef<HTMLInputElement>(null)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const [rejection, setRejection] = useState<string | null>(null)

  const selectFile = (selectedFile: File | undefined) => {
    if (!selectedFile) return
    setRejection(null)
    proofs.startUpload(field, selectedFile, setRejection)
  }
  useEffect(() => {
    // The file may have been selected before hydration.
    const { current } = input
    const selectedBefore = current?.files?.[0]
    if (!current || !selectedBefore) return
    proofs.startUpload(field, selectedBefore, setRejection)
    current.value = ''
  }, [proofs, field])
  const remove = () => {
    setRejection(null)
    proofs.remove(field.id)
    input.current?.focus()
  }
  const describedBy = [aria['aria-describedby'], rejection && `${id}-refused`]
    .filter(Boolean)
    .join(' ')
  return (
    <>
      {rejection !== null && (
        <p className="msg" id={`${id}-refused`} role="alert">
          <Icon name="bang" />
          {rejection}
        </p>
      )}
      <div
        className={isDraggedOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          setDraggedOver(true)
        }}
        onDragLeave={() => setDraggedOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setDraggedOver(false)
          selectFile(event.dataTransfer.files[0])
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
          {...(describedBy ? { 'aria-describedby': describedBy } : {})}
          aria-required={undefined}
          {...(field.accept
            ? { accept: field.accept.map((extension) => `.${extension}`).join(',') }
            : {})}
          onChange={(event) => {
            selectFile(event.target.files?.[0])
            event.target.value = ''
          }}
          onBlur={onLeave}
          // Load the upload code while the browser's file dialog is open.
          onFocus={preloadUploadCode}
          onClick={preloadUploadCode}
        />
        <label className="btn line" htmlFor={id} id={`${id}-button`}>
          <Icon name="up" />
          {proof ? UPLOAD_MESSAGES.chooseAnother : UPLOAD_MESSAGES.choose}
        </label>
        {proof === null ? (
          <span className="small mute wide-only">{UPLOAD_MESSAGES.drop}</span>
        ) : (
          <SelectedFile proof={proof} remove={remove} />
        )}
        <p className="vh" role="status">
          {proof === null ? '' : describeProgressForAnnouncement(proof)}
        </p>
      </div>
    </>
  )
}

function SelectedFile({ proof, remove }: { readonly proof: Proof; readonly remove: () => void }) {
  const isUploading = proof.is !== 'there' && proof.is !== 'here'
  return (
    <div className={`kept ${proof.is}`}>
      <Icon name={proof.is === 'there' ? 'tick' : proof.is === 'waiting' ? 'clock' : 'file'} />
      <b>{proof.name}</b>
      <span className="mute">{describeProgress(proof)}</span>
      <button type="button" className="btn quiet sm" onClick={remove}>
        {renderMessage(isUploading ? UPLOAD_MESSAGES.cancel : UPLOAD_MESSAGES.remove, {
          hidden: renderHiddenText,
          name: proof.name,
        })}
      </button>
      {proof.is === 'sending' && (
        <progress
          max={100}
          value={proof.percent}
          aria-label={formatMessage(UPLOAD_MESSAGES.sending, { name: proof.name })}
        />
      )}
    </div>
  )
}

/** Progress as text. */
function describeProgress(proof: Proof): string {
  switch (proof.is) {
    case 'preparing':
      return UPLOAD_MESSAGES.preparing
    case 'sending':
      return formatMessage(UPLOAD_MESSAGES.progress, {
        size: formatFileSize(proof.bytes),
        percent: proof.percent,
      })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'there':
      return formatMessage(UPLOAD_MESSAGES.sent, { size: formatFileSize(proof.bytes) })
    case 'here':
      return formatFileSize(proof.bytes)
    default:
      return assertNever(proof)
  }
}

/** Progress for screen readers: each state once, without percentages. */
function describeProgressForAnnouncement(proof: Proof): string {
  switch (proof.is) {
    case 'preparing':
    case 'sending':
      return formatMessage(UPLOAD_MESSAGES.sending, { name: proof.name })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'there':
      return formatMessage(UPLOAD_MESSAGES.uploaded, { name: proof.name })
    case 'here':
      return formatMessage(UPLOAD_MESSAGES.selected, { name: proof.name })
    default:
      return assertNever(proof)
  }
}
