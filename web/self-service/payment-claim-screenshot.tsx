/** The screenshot of a payment claim: resized and uploaded as soon as it is selected, like documents. */
import { useRef, useState } from 'react'
import {
  COMMON_MESSAGES,
  CONNECTION_ERROR_MESSAGES,
  formatMessage,
  SELF_SERVICE_MESSAGES,
} from '../../engine/messages.ts'
import type { Field, PublicEvent } from '../../engine/index.ts'
import type { WireAsk } from '../../engine/api.ts'
import type { Proof } from '../registration/uploads/chosen-file.ts'
import { Icon } from '../ui/icons-and-logo.tsx'

const { file: fileMessages, optional } = COMMON_MESSAGES
const { paymentClaim } = SELF_SERVICE_MESSAGES

type PictureProps = {
  readonly event: PublicEvent
  readonly ask: WireAsk
  /** Base URL of this page's calls, with a trailing slash. */
  readonly path: string
  readonly wrong: string | undefined
  /** The upload's token on the server; null: in progress; undefined: none. */
  readonly onToken: (token: string | null | undefined) => void
}

export function Picture({ event, ask, path, wrong, onToken }: PictureProps) {
  const [proof, setProof] = useState<Proof | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const sending = useRef<AbortController | null>(null)
  const { id, label, file } = ask
  const take = async (chosen: File | undefined) => {
    if (chosen === undefined || file === null) return
    sending.current?.abort()
    const controller = new AbortController()
    sending.current = controller
    setRefused(null)
    onToken(null)
    const { sendAhead } = await import('../registration/uploads/send-file.ts')
    await sendAhead({
      event,
      field: fieldOf(ask, file),
      file: chosen,
      isAhead: true,
      to: `${path}proofs/`,
      signal: controller.signal,
      tell: (told) => {
        setProof(told)
        if (told.is === 'there') onToken(told.token)
        // The server does not accept uploads; the claim is sent without one.
        if (told.is === 'here') {
          setProof(null)
          setRefused(paymentClaim.fileNotSent)
          onToken(undefined)
        }
      },
      refuse: (text) => {
        setProof(null)
        setRefused(text)
        onToken(undefined)
      },
    })
  }
  const said = refused ?? wrong
  return (
    <div className="ask">
      <p className="asklabel" id={`told-${id}-label`}>
        {label}
        {!ask.required && <span className="mute">{` ${optional}`}</span>}
      </p>
      {said && (
        <p className="msg" id={`told-${id}-wrong`}>
          <Icon name="bang" />
          {said}
        </p>
      )}
      <input
        id={`told-${id}`}
        type="file"
        className="vh file"
        aria-labelledby={`told-${id}-label told-${id}-button`}
        accept={(file?.accept ?? []).map((ending) => `.${ending}`).join(',')}
        {...(said && { 'aria-invalid': true, 'aria-describedby': `told-${id}-wrong` })}
        onChange={({ target }) => void take(target.files?.[0])}
      />
      <label className="btn line" htmlFor={`told-${id}`} id={`told-${id}-button`}>
        <Icon name="up" />
        {proof === null ? fileMessages.choose : fileMessages.chooseAnother}
      </label>
      <p className="small mute" role="status">
        {proof === null ? '' : saidOf(proof)}
      </p>
    </div>
  )
}

function saidOf(proof: Proof): string {
  switch (proof.is) {
    case 'there':
      return formatMessage(paymentClaim.fileSent, { name: proof.name })
    case 'sending':
      return formatMessage(paymentClaim.fileSending, {
        name: proof.name,
        percent: proof.percent,
      })
    case 'waiting':
      return CONNECTION_ERROR_MESSAGES.weakConnection
    case 'preparing':
    case 'here':
      return proof.name
  }
}

/** The equivalent form field. */
function fieldOf(ask: WireAsk, file: NonNullable<WireAsk['file']>): Field {
  const types = file.accept.map((ending) => ending.toUpperCase()).join(', ')
  return {
    id: file.field,
    type: 'file',
    label: ask.label,
    section: 0,
    ignoreCase: false,
    invalid: formatMessage(paymentClaim.wrongFileType, { types }),
    check: true,
    accept: file.accept,
    bytesMax: file.bytes_max,
  }
}
