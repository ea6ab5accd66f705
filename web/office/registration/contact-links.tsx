/** The contact links of a delegate: copy, call, email, WhatsApp. */
import { useState } from 'react'
import type { OfficeRegistrationAnswer } from '../../../engine/api.ts'

type ContactProps = OfficeRegistrationAnswer['contact'] & { readonly regNo: string }

export function Contact({ regNo, email, phone }: ContactProps) {
  const [said, setSaid] = useState('')
  const copy = (): void => {
    navigator.clipboard.writeText(regNo).then(
      () => setSaid('Number copied.'),
      () => setSaid('The browser blocked copying.'),
    )
  }
  const whatsapp = whatsappOf(phone)
  return (
    <div className="reach">
      <button type="button" className="btn quiet sm" onClick={copy}>
        Copy number
      </button>
      {phone !== '' && (
        <a className="btn quiet sm" href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
          Call
        </a>
      )}
      {email !== '' && (
        <a className="btn quiet sm" href={`mailto:${encodeURIComponent(email)}`}>
          Email{' '}
        </a>
      )}
      {whatsapp !== null && (
        <a className="btn quiet sm" href={whatsapp} target="_blank" rel="noreferrer">
          WhatsApp
        </a>
      )}
      <span role="status" className="mute">
        {said}
      </span>
    </div>
  )
}

/** Phone number with country code, as WhatsApp requires it; null if it is not a valid number. */
export function whatsappOf(phone: string): string | null {
  const digits = phone.replaceAll(/\D/g, '').replace(/^0+/, '')
  if (digits.length < 10 || digits.length > 15) return null
  return `https://wa.me/${digits.length === 10 ? `91${digits}` : digits}`
}
