import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from 'react-router-dom'
import { LOGIN } from './calls.ts'

/** To the login, forgetting everything that was loaded, and back here afterwards. */
export function useLeave(): () => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { pathname, search } = useLocation()
  return () => {
    client.clear()
    void navigate(`${LOGIN}?next=${encodeURIComponent(pathname + search)}`, { replace: true })
  }
}
