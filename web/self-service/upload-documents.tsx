/** Documents that are requested or may be replaced; each is uploaded as soon as it is selected. */
import { useRef, useState } from 'react'
import { COMMON_MESSAGES, formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import type { WireFile } from '../../engine/api.ts'
import { readProof } from '../app/api-responses.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { richMessage } from '../ui/rich-message.tsx'
import { limitText, tooLargeText } from '../ui/file-size.ts'
import { useActing } from './use-self-service-action.ts'
import type { PanelProps } from './panel-props.ts'
import { Said } from './action-result-message.tsx'

const { file: fileMessages } = COMMON_MESSAGES
const { files: text } = SELF_SERVICE_MESSAGES

export function Files({ mine: { files }, path, again }: PanelProps) {
  if (files.length === 0) return null
  return (
    <section className="mypart" aria-labelledby="my-files">
      <h2 className="disp" id="my-files">
        {text.title}
      </h2>
      {files.map((file) => (
        <OneFile key={file.id} file={file} path={path} again={again} />
      ))}
    </section>
  )
}

type OneFileProps = Pick<PanelProps, 'path' | 'again'> & { readonly file: WireFile }

function OneFile({
  file: { id, label, name, accept, bytes_max: bytesMax },
  path,
  again,
}: OneFileProps) {
  const acting = useActing({ path, again })
  const input = useRef<HTMLInputElement>(null)
  const [percent, setPercent] = useState<number | null>(null)
  const send = async (chosen: File | undefined) => {
    if (chosen === undefined || percent !== null) return
    if (chosen.size === 0 || chosen.size > bytesMax)
      return acting.refuse(
        chosen.size === 0
          ? formatMessage(fileMessages.empty, { name: chosen.name })
          : tooLargeText(chosen.name, chosen.size, bytesMax),
      )
    acting.refuse(null)
    setPercent(0)
    const { upload } = await import('../app/api-upload.ts')
    const sent = await upload(`${path}proofs/`, readProof, {
      field: id,
      file: chosen,
      signal: new AbortController().signal,
      onPercent: setPercent,
    })
    if (sent.ok) await acting.act({ act: 'edit', answers: { [id]: sent.value.token } })
    else acting.refuse(sent.error.answer?.errors?.[id] ?? sent.error.message)
    setPercent(null)
  }
  const accepts = accept.map((ending) => `.${ending}`).join(',')
  return (
    <div className="myfile">
      <p id={`my-${id}`}>
        {name === null
          ? richMessage(text.missing, { label: <b>{label}</b> })
          : richMessage(text.uploaded, { label: <b>{label}</b>, name })}
      </p>
      <Said acting={acting} />
      <input
        ref={input}
        type="file"
        id={`my-${id}-file`}
        className="vh file"
        aria-labelledby={`my-${id} my-${id}-button`}
        {...(accepts === '' ? {} : { accept: accepts })}
        onChange={({ target }) => {
          void send(target.files?.[0])
          target.value = ''
        }}
      />
      <label className="btn line sm" htmlFor={`my-${id}-file`} id={`my-${id}-button`}>
        <Icon name="up" />
        {percent === null
          ? name === null
            ? fileMessages.choose
            : fileMessages.chooseAnother
          : formatMessage(text.sending, { percent })}
      </label>
      <p className="mute small">
        {accept.length > 0
          ? formatMessage(text.limitAndTypes, {
              types: accept.join(', ').toUpperCase(),
              limit: limitText(bytesMax),
            })
          : formatMessage(text.limit, { limit: limitText(bytesMax) })}
      </p>
    </div>
  )
}
