/** A file to send with the answers. */
import type { WidgetProps } from '@rjsf/utils'
import { useRef, useState } from 'react'
import { Icon } from '../shared/icons.tsx'
import { useControl } from './control.tsx'
import { sizeText } from './ui.ts'
import '../styles/upload.css'

/**
 * The theme has no widget for files, and RJSF's own turns a file into text in the answers. Here form
 * data holds its name and the map the file itself.
 */
export function Upload(props: WidgetProps) {
  const { id, value } = props
  const { field, constants, change, leave, aria } = useControl(props)
  const input = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const file = constants.files.get(field.id)
  const kept = file !== undefined && value === file.name ? file : null

  const take = (chosen: File | undefined) => {
    if (!chosen) return
    const no = refusal(chosen)
    setRefused(no)
    if (no !== null) return
    constants.files.set(field.id, chosen)
    change(chosen.name)
  }
  const refusal = (chosen: File): string | null => {
    const ending = /\.([^.]+)$/.exec(chosen.name)?.[1]?.toLowerCase()
    if (field.accept && !(ending && field.accept.includes(ending)))
      return `${chosen.name}: ${field.invalid}`
    if (field.bytesMax !== undefined && chosen.size > field.bytesMax)
      return `${chosen.name} has ${sizeText(chosen.size)}. Please choose a file of at most ${sizeText(field.bytesMax)}.`
    if (chosen.size === 0) return `${chosen.name} is empty. Please choose another file.`
    return null
  }
  const remove = () => {
    constants.files.delete(field.id)
    if (input.current) input.current.value = ''
    setRefused(null)
    change('')
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
        />
        <label className="btn line" htmlFor={id} id={`${id}-button`}>
          <Icon name="up" />
          {kept ? 'Choose another file' : 'Choose file'}
        </label>
        {kept ? (
          <span className="kept">
            <Icon name="file" />
            <span>
              <b>{kept.name}</b> <span className="mute">{sizeText(kept.size)}</span>
            </span>
            <button type="button" className="btn quiet sm" onClick={remove}>
              Remove<span className="vh"> {kept.name}</span>
            </button>
          </span>
        ) : (
          <span className="small mute wide-only">or drop it here</span>
        )}
      </div>
    </>
  )
}
