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
import { preloadUploadCode, useSelectedDocument } from './upload-progress.ts'
import type { SelectedDocument } from './chosen-file.ts'
import { formatFileSize } from '../../ui/file-size.ts'
import './upload-field.css'

/**
 * Shows the file field. The theme has no file widget, and RJSF's own stores the file as text in the answers. Here the
 * form data contains the file's name, and upload-progress.ts keeps the file.
 */
export function UploadField(props: WidgetProps) {
  const { id } = props
  const { field, constants, onLeave, aria } = useControl(props)
  const { uploads } = constants
  const selectedDocument = useSelectedDocument(uploads, field.id)
  const input = useRef<HTMLInputElement>(null)
  const [isDraggedOver, setDraggedOver] = useState(false)
  const [rejection, setRejection] = useState<string | null>(null)

  const selectFile = (selectedFile: File | undefined) => {
    if (!selectedFile) return
    setRejection(null)
    uploads.startUpload(field, selectedFile, setRejection)
  }
  useEffect(() => {
    // The file may have been selected before hydration.
    const { current } = input
    const earlierFile = current?.files?.[0]
    if (!current || !earlierFile) return
    uploads.startUpload(field, earlierFile, setRejection)
    current.value = ''
  }, [uploads, field])
  const remove = () => {
    setRejection(null)
    uploads.remove(field.id)
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
          {selectedDocument ? UPLOAD_MESSAGES.chooseAnother : UPLOAD_MESSAGES.choose}
        </label>
        {selectedDocument === null ? (
          <span className="small mute wide-only">{UPLOAD_MESSAGES.drop}</span>
        ) : (
          <SelectedFile selectedDocument={selectedDocument} remove={remove} />
        )}
        <p className="vh" role="status">
          {selectedDocument === null ? '' : describeProgressForAnnouncement(selectedDocument)}
        </p>
      </div>
    </>
  )
}

function SelectedFile({
  selectedDocument,
  remove,
}: {
  readonly selectedDocument: SelectedDocument
  readonly remove: () => void
}) {
  const isUploading = selectedDocument.is !== 'stored' && selectedDocument.is !== 'local'
  return (
    <div className={`selected-file ${selectedDocument.is}`}>
      <Icon
        name={
          selectedDocument.is === 'stored'
            ? 'tick'
            : selectedDocument.is === 'waiting'
              ? 'clock'
              : 'file'
        }
      />
      <b>{selectedDocument.name}</b>
      <span className="mute">{describeProgress(selectedDocument)}</span>
      <button type="button" className="btn quiet sm" onClick={remove}>
        {renderMessage(isUploading ? UPLOAD_MESSAGES.cancel : UPLOAD_MESSAGES.remove, {
          hidden: renderHiddenText,
          name: selectedDocument.name,
        })}
      </button>
      {selectedDocument.is === 'sending' && (
        <progress
          max={100}
          value={selectedDocument.percent}
          aria-label={formatMessage(UPLOAD_MESSAGES.sending, { name: selectedDocument.name })}
        />
      )}
    </div>
  )
}

/** Describes the progress as text. */
function describeProgress(selectedDocument: SelectedDocument): string {
  switch (selectedDocument.is) {
    case 'preparing':
      return UPLOAD_MESSAGES.preparing
    case 'sending':
      return formatMessage(UPLOAD_MESSAGES.progress, {
        size: formatFileSize(selectedDocument.bytes),
        percent: selectedDocument.percent,
      })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'stored':
      return formatMessage(UPLOAD_MESSAGES.sent, { size: formatFileSize(selectedDocument.bytes) })
    case 'local':
      return formatFileSize(selectedDocument.bytes)
    default:
      return assertNever(selectedDocument)
  }
}

/** Describes the progress for screen readers: each state once, without percentages. */
function describeProgressForAnnouncement(selectedDocument: SelectedDocument): string {
  switch (selectedDocument.is) {
    case 'preparing':
    case 'sending':
      return formatMessage(UPLOAD_MESSAGES.sending, { name: selectedDocument.name })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'stored':
      return formatMessage(UPLOAD_MESSAGES.uploaded, { name: selectedDocument.name })
    case 'local':
      return formatMessage(UPLOAD_MESSAGES.selected, { name: selectedDocument.name })
    default:
      return assertNever(selectedDocument)
  }
}
