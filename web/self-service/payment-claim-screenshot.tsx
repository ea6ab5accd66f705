/** The screenshot of a payment claim: resized and uploaded as soon as it is selected, like documents. */
import { useRef, useState } from 'react'
import {
  COMMON_MESSAGES,
  CONNECTION_ERROR_MESSAGES,
  formatMessage,
  SELF_SERVICE_MESSAGES,
  UPLOAD_MESSAGES,
} from '../../engine/messages.ts'
import type { Field, PublicEvent } from '../../engine/index.ts'
import type { WireClaimField } from '../../engine/api.ts'
import type { SelectedDocument } from '../registration/uploads/chosen-file.ts'
import { Icon } from '../ui/icons-and-logo.tsx'

const { paymentClaim } = SELF_SERVICE_MESSAGES

type ScreenshotFieldProps = {
  readonly event: PublicEvent
  readonly claimField: WireClaimField
  /** Base URL of this page's calls, with a trailing slash. */
  readonly path: string
  readonly errorMessage: string | undefined
  /** Called with the upload's token on the server: null while the upload is in progress, undefined if there is none. */
  readonly onToken: (token: string | null | undefined) => void
}

export function ScreenshotField({
  event,
  claimField,
  path,
  errorMessage,
  onToken,
}: ScreenshotFieldProps) {
  const [screenshot, setScreenshot] = useState<SelectedDocument | null>(null)
  const [rejection, setRejection] = useState<string | null>(null)
  const upload = useRef<AbortController | null>(null)
  const { id, label, file } = claimField
  const uploadFile = async (selectedFile: File | undefined) => {
    if (selectedFile === undefined || file === null) return
    upload.current?.abort()
    const controller = new AbortController()
    upload.current = controller
    setRejection(null)
    onToken(null)
    const { uploadInAdvance } = await import('../registration/uploads/send-file.ts')
    await uploadInAdvance({
      event,
      field: toFormField(claimField, file),
      file: selectedFile,
      canUploadInAdvance: true,
      uploadUrl: `${path}proofs/`,
      signal: controller.signal,
      onProgress: (progress) => {
        setScreenshot(progress)
        if (progress.is === 'stored') onToken(progress.token)
        // The server does not accept uploads, so the claim is sent without a screenshot.
        if (progress.is === 'local') {
          setScreenshot(null)
          setRejection(paymentClaim.fileNotSent)
          onToken(undefined)
        }
      },
      onReject: (text) => {
        setScreenshot(null)
        setRejection(text)
        onToken(undefined)
      },
    })
  }
  const message = rejection ?? errorMessage
  return (
    <div className="claim-field">
      <p className="claim-label" id={`told-${id}-label`}>
        {label}
        {!claimField.required && <span className="mute">{` ${COMMON_MESSAGES.optional}`}</span>}
      </p>
      {message && (
        <p className="msg" id={`told-${id}-wrong`}>
          <Icon name="bang" />
          {message}
        </p>
      )}
      <input
        id={`told-${id}`}
        type="file"
        className="vh file"
        aria-labelledby={`told-${id}-label told-${id}-button`}
        accept={(file?.accept ?? []).map((extension) => `.${extension}`).join(',')}
        {...(message && { 'aria-invalid': true, 'aria-describedby': `told-${id}-wrong` })}
        onChange={({ target }) => void uploadFile(target.files?.[0])}
      />
      <label className="btn line" htmlFor={`told-${id}`} id={`told-${id}-button`}>
        <Icon name="up" />
        {screenshot === null ? UPLOAD_MESSAGES.choose : UPLOAD_MESSAGES.chooseAnother}
      </label>
      <p className="small mute" role="status">
        {screenshot === null ? '' : describeProgress(screenshot)}
      </p>
    </div>
  )
}

function describeProgress(screenshot: SelectedDocument): string {
  switch (screenshot.is) {
    case 'stored':
      return formatMessage(paymentClaim.fileSent, { name: screenshot.name })
    case 'sending':
      return formatMessage(paymentClaim.fileSending, {
        name: screenshot.name,
        percent: screenshot.percent,
      })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'preparing':
    case 'local':
      return screenshot.name
  }
}

/** Converts the claim's field to a form field. */
function toFormField(claimField: WireClaimField, file: NonNullable<WireClaimField['file']>): Field {
  const types = file.accept.map((extension) => extension.toUpperCase()).join(', ')
  return {
    id: file.field,
    type: 'file',
    label: claimField.label,
    section: 0,
    ignoreCase: false,
    invalid: formatMessage(paymentClaim.wrongFileType, { types }),
    check: true,
    accept: file.accept,
    maxBytes: file.bytes_max,
  }
}
