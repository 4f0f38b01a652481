import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common'
import { AuthError } from 'latchkey'

/** Presents the errors of `requireUser`. */
@Catch(AuthError)
export class AuthErrorFilter implements ExceptionFilter {
  catch({ status, code, message }: AuthError, host: ArgumentsHost) {
    host.switchToHttp().getResponse().status(status).send({ code, message })
  }
}
