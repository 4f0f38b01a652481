import { Controller, Get, Req } from '@nestjs/common'
import type { RequestLike } from 'latchkey'
import { auth } from './auth.js'

@Controller()
export class ProfileController {
  @Get()
  greet() {
    return { message: 'hello, whoever you are' }
  }

  @Get('profile')
  async profile(@Req() request: RequestLike) {
    const { user } = await auth().requireUser(request)
    return { message: `hello, ${user.email}` }
  }
}
