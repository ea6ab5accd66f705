/** The panel for documents that are requested or can be replaced. Each is uploaded as soon as it is selected. */
import { useRef, useState } from 'react'
import { formatMessage, SELF_SERVICE_MESSAGES, UPLOAD_MESSAGES } from '../../engine/messages.ts'
import type { WireFile } from '../../engine/api.ts'
import { readUploadedDocument } from '../app/api-responses.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { renderMessage } from '../ui/rich-message.tsx'
import { formatFileSizeLimit, getTooLargeText } from '../ui/file-size.ts'
import { useSelfServiceAction } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { ActionResult } from './action-result-message.tsx'

const { files: text } = SELF_SERVICE_MESSAGES

export function UploadDocuments({ data: { files }, path, reload }: PanelProps) {
  if (files.length === 0) return null
  return (
    <section className="self-service-panel" aria-labelledby="my-files">
      <h2 className="disp" id="my-files">
        {text.title}
      </h2>
      {files.map((file) => (
        <DocumentUpload key={file.id} file={file} path={path} reload={reload} />
      ))}
    </section>
  )
}

type DocumentUploadProps = Pick<PanelProps, 'path' | 'reload'> & { readonly file: WireFile }

function DocumentUpload({
  file: { id, label, name, accept, bytes_max: maxBytes },
  path,
  reload,
}: DocumentUploadProps) {
  const action = useSelfServiceAction({ path, reload })
  const input = useRef<HTMLInputElement>(null)
  const [percent, setPercent] = useState<number | null>(null)
  const send = async (selectedFile: File | undefined) => {
    if (selectedFile === undefined || percent !== null) return
    if (selectedFile.size === 0 || selectedFile.size > maxBytes)
      return action.setProblem(
        selectedFile.size === 0
          ? formatMessage(UPLOAD_MESSAGES.empty, { name: selectedFile.name })
          : getTooLargeText(selectedFile.name, selectedFile.size, maxBytes),
      )
    action.setProblem(null)
    setPercent(0)
    const { upload } = await import('../app/api-upload.ts')
    const uploadResult = await upload(`${path}proofs/`, readUploadedDocument, {
      field: id,
      file: selectedFile,
      signal: new AbortController().signal,
      onPercent: setPercent,
    })
    if (uploadResult.ok)
      await action.perform({ act: 'edit', answers: { [id]: uploadResult.value.token } })
    else
      action.setProblem(
        uploadResult.error.errorResponse?.errors?.[id] ?? uploadResult.error.message,
      )
    setPercent(null)
  }
  const acceptedTypes = accept.map((extension) => `.${extension}`).join(',')
  return (
    <div className="document-upload">
      <p id={`my-${id}`}>
        {name === null
          ? renderMessage(text.missing, { label: <b>{label}</b> })
          : renderMessage(text.uploaded, { label: <b>{label}</b>, name })}
      </p>
      <ActionResult action={action} />
      <input
        ref={input}
        type="file"
        id={`my-${id}-file`}
        className="vh file"
        aria-labelledby={`my-${id} my-${id}-button`}
        {...(acceptedTypes === '' ? {} : { accept: acceptedTypes })}
        onChange={({ target }) => {
          void send(target.files?.[0])
          target.value = ''
        }}
      />
      <label className="btn line sm" htmlFor={`my-${id}-file`} id={`my-${id}-button`}>
        <Icon name="up" />
        {percent === null
          ? name === null
            ? UPLOAD_MESSAGES.choose
            : UPLOAD_MESSAGES.chooseAnother
          : formatMessage(text.sending, { percent })}
      </label>
      <p className="mute small">
        {accept.length > 0
          ? formatMessage(text.limitAndTypes, {
              types: accept.join(', ').toUpperCase(),
              limit: formatFileSizeLimit(maxBytes),
            })
          : formatMessage(text.limit, { limit: formatFileSizeLimit(maxBytes) })}
      </p>
    </div>
  )
}
