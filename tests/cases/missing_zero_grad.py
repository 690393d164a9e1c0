"""Cases for GRD701: loops whose gradients pile up, and the many places where somebody clears them after all."""

import argparse
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import make_trainer, reset_gradients


def fit(loader: torch.utils.data.DataLoader, epochs=3):
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for images, labels in loader:
            loss = F.cross_entropy(model(images), labels)
            loss.backward()  # GRD701
            optimizer.step()
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=4)
    args = parser.parse_args()
    net = nn.Linear(4, 1)
    optim = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(100):
        loss = net(torch.randn(2, 4)).mean() / args.accumulate
        loss.backward()
        if (step + 1) % args.accumulate == 0:
            optim.step(), optim.zero_grad()  # ok: accumulated, and cleared where it steps
    for step in range(100):
        (net(torch.randn(2, 4)).mean() / args.accumulate).backward()  # GRD701
        if (step + 1) % args.accumulate == 0:
            optim.step()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train_step(self, batch):
        loss = F.mse_loss(self.model(batch), torch.zeros(2, 2))
        self.scale(loss).backward()  # GRD701
        self.optimizer.step()
        return loss.item()

    def scale(self, loss):
        return loss * 0.5

    def fit(self):
        return [self.train_step(torch.randn(2, 4)) for _ in range(10)]


class Careful:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def reset_grad(self):
        self.optimizer.zero_grad()

    def fit(self):
        for _ in range(10):
            self.model(torch.randn(2, 4)).sum().backward()
            self.optimizer.step()  # ok: a helper clears
            self.reset_grad()


def adversarial(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    optimizers = {"g": torch.optim.Adam(generator.parameters()), "d": torch.optim.Adam(critic.parameters())}
    for real in batches:
        optimizers["d"].zero_grad()
        fake = generator(torch.randn(2, 4))
        critic(real).mean().backward()
        critic(fake.detach()).mean().neg().backward()
        optimizers["d"].step()  # ok: what the other loss adds to the critic is cleared before it steps
        optimizers["g"].zero_grad()
        critic(fake).mean().backward()
        optimizers["g"].step()


def adversarial_but_for_one(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g = torch.optim.Adam(generator.parameters())
    for_d = torch.optim.Adam(critic.parameters())
    for real in batches:
        for_g.zero_grad()
        fake = generator(torch.randn(2, 4))
        (critic(fake.detach()).mean() - critic(real).mean()).backward()  # GRD701
        for_d.step()
        critic(fake).mean().neg().backward()
        for_g.step()


def by_hand(closure=None):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.RMSprop(model.parameters())
    for _ in range(5):
        model(torch.randn(2, 4)).sum().backward()
        optimizer.step(closure=closure)  # ok: each parameter's gradient is dropped below
        for parameter in model.parameters():
            parameter.grad = None


def by_the_model():
    model = nn.Linear(4, 1)
    scaler = torch.amp.GradScaler("cpu")
    optimizer = torch.optim.AdamW(model.parameters())
    while True:
        loss = model(torch.randn(2, 4)).square().mean()
        model.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # ok: the module clears what its optimizer holds
        scaler.update()
        if loss < 0.1:
            break


def handed_to_others():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        reset_gradients(optimizer)
        model(torch.randn(2, 4)).sum().backward()
        optimizer.step(), print("stepped")  # ok: nobody knows what the helper does to the optimizer
    trainer = make_trainer(model)
    for index in range(5):
        model(torch.randn(2, 4)).prod().backward()
        trainer.clean_up()
        done = optimizer.step()  # ok: the trainer has the model
    return done


def anew_each_time(rounds):
    for _ in range(rounds):
        point = torch.zeros(2, requires_grad=True)
        search = [torch.optim.SGD([point], lr=0.1)]
        point.square().sum().backward()
        search[0].step()  # ok: a fresh leaf in each iteration


def inner_steps(rounds):
    base = nn.Linear(2, 1)
    for _ in range(rounds):
        fast = copy.deepcopy(base)
        inner = torch.optim.SGD(fast.parameters(), lr=0.1)
        for _ in range(3):
            fast(torch.ones(1, 2)).sum().backward()  # GRD701
            inner.step()


def rotated():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(10):
        if index:
            stepped = [optimizer.step()]  # ok: here, before the next backward, somebody clears
            optimizer.zero_grad()
        model(torch.randn(2, 4)).max().backward()
    return stepped


def separate_guards(every=2):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(10):
        (model(torch.randn(2, 4)).min() / every).backward()
        if index % every == 0:
            optimizer.step(closure=None)  # ok: cleared below, under the same condition
        if index % every == 0:
            optimizer.zero_grad()


class Ascent(torch.optim.Optimizer):
    """Climbs a little, then steps from there."""

    def __init__(self, params, base, **kwargs):
        super().__init__(params, dict(**kwargs))
        self.base = base(self.param_groups, **kwargs)

    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.state[p]["climbed"] = p.grad.clone()
                    p.add_(p.grad)
        self.zero_grad()

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.sub_(self.state[p]["climbed"])
        self.base.step(closure=closure)  # ok: the first step of the two has cleared
        self.zero_grad()


def sharpness_aware():
    model = nn.Linear(4, 1)
    optimizer = Ascent(model.parameters(), torch.optim.SGD, lr=0.1)
    for _ in range(3):
        model(torch.randn(2, 4)).mean().backward()
        optimizer.climb()
        model(torch.randn(2, 4)).mean().backward()
        optimizer.step()


def by_a_criterion_that_is_handed_over(loader, criterion, device):
    model = nn.Linear(3, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        criterion(model(x), y).backward()  # GRD701
        optimizer.step()


def a_model_that_is_handed_over(net, loader):
    net.train()
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        F.cross_entropy(net(x), y, label_smoothing=0.1).div(4).backward()  # GRD701
        descent.step()


def all_that_is_handed_over(model: nn.Module, loader, criterion: nn.Module, optimizer: torch.optim.Optimizer, device):
    model.train()
    for x, y in loader:
        outputs = model(x.to(device))
        torch.autograd.backward([criterion(outputs, y.to(device))])  # GRD701
        optimizer.step()


def one_optimizer_after_another(net, loader):
    net.train()
    for epoch in range(3):
        descent = torch.optim.SGD(net.parameters(), lr=0.1**epoch)
        net(loader).square().mean().backward()  # GRD701
        descent.step()


def accumulated_by_others(net, loader, descent: torch.optim.Optimizer, every):
    net.train()
    for index, (x, y) in enumerate(loader):
        (F.cross_entropy(net(x), y) / every).backward()
        (F.mse_loss(net(x), y) / every).backward()
        if index % every == every - 1:
            descent.step(None)  # ok: cleared below, whatever the gradients were before
            descent.zero_grad()


def two_of_each(first, second, for_first, for_second, loader):
    first.eval(), second.eval()
    for x in loader:
        second(first(x)).mean().backward()
        for_first.step(lambda: 0.0), for_first.zero_grad()
        (for_second.step(),)  # ok: nobody knows which optimizer holds what
        for_second.zero_grad()


class HandedOver:
    def __init__(self, net, descent, hooks):
        self.net, self.descent, self.hooks = net, descent, hooks

    def clear(self):
        self.descent.zero_grad()

    def fit(self, loader):
        self.net.train()
        for x, y in loader:
            F.nll_loss(self.net(x), y).backward()
            self.descent.step(closure=lambda: None)  # ok: one of the hooks may clear
            self.hooks.call(self)


def cleared_by_who_hands_out_the_batches(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)

    def batches():
        for pair in loader:
            descent.zero_grad()
            yield pair

    for x, y in batches():
        F.mse_loss(net(x), y).backward()  # ok: the generator clears each time it is asked
        descent.step()


def cleared_in_other_ways(ways, loader, net):
    weight, bias, scale, shift = ways
    descent = torch.optim.SGD([weight, bias, scale, shift], lr=0.1)
    for x in loader:
        (net(x) * weight + bias).mul(scale).sub(shift).norm().backward()  # ok: all of these leave zeros
        descent.step()
        weight.grad.data.zero_()
        bias.grad.fill_(0)
        scale.grad.data = torch.zeros_like(scale)
        shift.grad *= 0


def scaled_but_not_cleared(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        (-net(x).logsumexp(1)).mean(0).backward()  # GRD701
        descent.step()
        for p in net.parameters():
            p.grad.mul_(0.5)


def rounds_in_turn(rounds, real):
    maker, judge = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)), nn.Linear(3, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.RMSprop(judge.parameters())
    for _ in range(rounds):
        made = maker(torch.randn(4, 2))
        judge(2 * made).relu().sum().backward()  # ok: the maker's own round
        of_maker.step()
        of_maker.zero_grad()
        (judge(made.detach()) - judge(real).exp()).sum().backward()  # GRD701
        of_judge.step()
        of_judge.zero_grad()


def rounds_in_turn_right(rounds, real):
    maker, judge = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)), nn.Linear(3, 1)
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.RMSprop(judge.parameters())
    for _ in range(rounds):
        made = maker(torch.randn(4, 2))
        of_maker.zero_grad()
        judge(made).abs().mean().backward()
        of_maker.step()
        judge.zero_grad()
        (judge(real.square()) - judge(made.detach().abs())).sum().backward()  # ok: cleared before
        of_judge.step()


def heads_of_one_trunk(rounds):
    trunk, left, right = nn.Linear(2, 4), nn.Linear(4, 1), nn.Linear(4, 1)
    of_trunk = torch.optim.SGD(trunk.parameters(), lr=0.1)
    of_left, of_right = torch.optim.SGD(left.parameters(), lr=0.1), torch.optim.SGD(right.parameters(), lr=0.1)
    for _ in range(rounds):
        of_trunk.zero_grad()
        of_left.zero_grad()
        of_right.zero_grad()
        left(trunk(torch.randn(4, 2))).exp().mean().backward()
        of_left.step()
        right(trunk(torch.randn(4, 2))).cosh().mean().backward()  # ok: both tasks train the trunk
        of_right.step()
        of_trunk.step()


def shown_on_one_batch():
    net = nn.Linear(2, 1)
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in [(torch.randn(4, 2), torch.zeros(4, 1))]:
        (net(x) - y).square().mean(0).backward(y.mean(0) + 1)  # GRD701
        descent.step()
    for x in [torch.randn(4, 2)]:
        descent.zero_grad()
        net(x).cosh().prod().add(1).backward()  # ok: cleared before
        descent.step()
    for one in [net]:
        one(torch.randn(4, 2)).sigmoid().mean().neg().backward()  # ok: a network is no batch
        descent.step()
    for x in (torch.randn(4, 2), torch.randn(4, 2))[:1]:
        (1 / net(x).cosh().std()).backward()  # ok: nobody goes on behind the first
        descent.step()
        break


rounds_in_turn(3, torch.randn(4, 3))
rounds_in_turn_right(3, torch.randn(4, 3))
heads_of_one_trunk(3)
shown_on_one_batch()


def chosen_by_a_setting(settings, rounds):
    net = nn.Linear(2, 1)
    optimizer = getattr(torch.optim, settings["optimizer"])(net.parameters(), lr=0.1)
    slower = getattr(torch.optim.lr_scheduler, settings["schedule"])(optimizer, 10)
    for _ in range(rounds):
        net(torch.randn(4, 2)).sinh().sum().backward()  # GRD701
        optimizer.step()
        slower.step()


def chosen_from_the_namespace(settings, rounds):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.__dict__[settings.optimizer](net.parameters(), lr=0.1)
    for _ in range(rounds):
        nn.functional.mse_loss(net(torch.randn(4, 2)), torch.ones(4, 1)).backward()  # GRD701
        optimizer.step()


OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}


def chosen_from_a_table(settings, rounds):
    net = nn.Linear(2, 1)
    optimizer = OPTIMIZERS[settings.optimizer](net.parameters(), lr=0.1)
    for _ in range(rounds):
        apart = net(torch.randn(4, 2)) - net(torch.ones(1, 2))
        apart.pow(4).amax().backward()  # GRD701
        optimizer.step()


def chosen_and_cleared(settings, rounds):
    net = nn.Linear(2, 1)
    optimizer = getattr(torch.optim, settings["optimizer"])(net.parameters(), lr=0.1)
    slower = torch.optim.lr_scheduler.__dict__[settings["schedule"]](optimizer, 10)
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(4, 2)).log_softmax(0).norm().backward()  # ok: cleared before
        optimizer.step()
        slower.step()


def attacked(net, given, wanted, rounds):
    shifted = given.detach() + torch.rand_like(given)
    for _ in range(rounds):
        shifted.requires_grad_()
        nn.functional.l1_loss(net(shifted), wanted).backward()
        shifted = shifted.detach() + 0.1 * shifted.grad.sign()
    return shifted.detach()


def trained_on_attacks(batches):
    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for given, wanted in batches:
        optimizer.zero_grad()
        worst = attacked(net, given, wanted, 3)
        nn.functional.huber_loss(net(worst), wanted).backward()  # GRD701
        optimizer.step()


def trained_on_attacks_right(batches):
    net = nn.Sequential(nn.Linear(2, 4), nn.Sigmoid(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for given, wanted in batches:
        worst = attacked(net, given, wanted, 3)
        optimizer.zero_grad()
        (net(worst) - wanted).sinh().square().sum().backward()  # ok: cleared behind the attack
        optimizer.step()


def trained_on_shifts(batches, rounds):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for given, wanted in batches:
        shift = torch.zeros_like(given, requires_grad=True)
        for _ in range(rounds):
            net(given + shift).sub(wanted).norm().backward()
            shift.data = (shift + 0.1 * shift.grad.sign()).clamp(-1, 1)
            shift.grad.zero_()
        net(given + shift.detach()).sub(wanted).norm(1).backward()  # GRD701
        optimizer.step()
        optimizer.zero_grad()


def trained_with_a_penalty(batches):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for given, wanted in batches:
        given.requires_grad_()
        optimizer.zero_grad()
        net(given).sub(wanted).norm(3).backward()  # ok: one backward for both
        print(given.grad.norm())
        optimizer.step()


def trained_on_both(batches):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for given, wanted in batches:
        given.requires_grad_()
        optimizer.zero_grad()
        net(given).sub(wanted).square().sum().backward()
        shifted = given.detach() + 0.1 * given.grad.sign()
        net(shifted).sub(wanted).square().amax().backward()  # ok: trained on both, as far as anybody sees
        optimizer.step()


def made_by_a_helper(get_optimizer, rounds):
    net = nn.Linear(2, 1)
    optimizer = get_optimizer(net.parameters())
    for _ in range(rounds):
        net(torch.randn(5, 2)).cos().exp().sum().backward()  # GRD701
        optimizer.step()


def made_for_a_network(settings, tools, rounds):
    net = nn.Linear(2, 1)
    optim_d = tools.build_optimizer(settings, net)
    for _ in range(rounds):
        (net(torch.randn(6, 2)) + 2).abs().max().backward()  # GRD701
        optim_d.step()


def named_an_optimizer(net, batches, optimizer):
    net.train()
    for batch in batches:
        net(batch).softmax(0).norm().backward()  # GRD701
        optimizer.step()


def made_by_a_helper_and_cleared(get_optimizer, rounds):
    net = nn.Linear(2, 1)
    optimizer = get_optimizer(net.parameters())
    for _ in range(rounds):
        net.zero_grad()
        net(torch.randn(3, 2)).sin().prod().backward()  # ok: cleared before
        optimizer.step()


def made_by_what_may_clear(train_optimizer, rounds):
    net = nn.Linear(2, 1)
    optimizer = train_optimizer(net)
    for _ in range(rounds):
        net(torch.randn(2, 2)).tan().abs().mean().backward()  # ok: whoever trains it may clear by a hook
        optimizer.step()


def steps_beside_an_optimizer(net, batches, optimizer_schedule):
    net.train()
    for batch in batches:
        (net(batch) ** 3).logsumexp(0).sum().backward()  # ok: what is stepped is a schedule
        optimizer_schedule.step()


def named_otherwise(net, batches, handle):
    net.train()
    for batch in batches:
        torch.linalg.vector_norm(net(batch) - 1).backward()  # ok: nobody knows what steps
        handle.step()


def prepared_by_a_helper(prepare, rounds):
    net = nn.Linear(2, 1)
    prepare(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(rounds):
        net(torch.randn(7, 2)).tan().mean().backward()  # GRD701
        optimizer.step()


def chosen_from_a_table(table, name, rounds):
    net = nn.Linear(2, 1)
    optimizer = table[name](net.parameters())
    for _ in range(rounds):
        net(torch.randn(8, 2)).erf().prod().backward()  # GRD701
        optimizer.step()


def averaged_by_a_helper(Average, rounds):
    net = nn.Linear(2, 1)
    optimizer, average = torch.optim.Adam(net.parameters(), lr=0.1), Average(net)
    for _ in range(rounds):
        net(torch.randn(10, 2)).log1p().sum().backward()  # GRD701
        optimizer.step()
        average.update(net)


def validated_by_a_helper(batches, loader, validate, save_checkpoint):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch in batches:
        net(batch).logsumexp(0).sub(3).square().mean().backward()  # GRD701
        optimizer.step()
        save_checkpoint({"net": net, "optimizer": optimizer.state_dict()}, validate(net, loader))


def logged_by_a_helper(batches, show):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch in batches:
        loss = net(batch).atan().sum()
        (0.5 * loss).backward()  # GRD701
        optimizer.step()
        show(loss, net)


def stepped_by_a_helper(batches, train_step):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch in batches:
        net(batch).asinh().mul(2).add(1).sum().backward()  # ok: what trains the network may clear
        optimizer.step()
        train_step(net, batch)


def handed_over_with_its_optimizer(finish, rounds):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for _ in range(rounds):
        net(torch.randn(9, 2)).sinh().sum().backward()  # ok: who is handed the optimizer may clear
        optimizer.step()
        finish(net, optimizer)


def zeroed_by_a_helper(zero_grads, batches):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch, wanted in batches:
        zero_grads(net)
        nn.functional.smooth_l1_loss(net(batch).exp(), wanted).backward()  # ok: its name says that it clears
        optimizer.step()


def emptied_by_a_helper(tools, batches):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch, wanted in batches:
        tools.clear(net.parameters())
        found = net(batch).tanh().flatten()
        (found - wanted).pow(4).mean().backward()  # ok: so does that
        optimizer.step()


def cleared_by_a_helper(reset_gradients, batches):
    net = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    for batch, wanted in batches:
        found = net(batch).cosh()
        nn.functional.huber_loss(found, wanted).backward()  # ok: its name says so
        optimizer.step()
        reset_gradients(net)


def replaced_by_empty_ones(steps):
    made, judged = torch.randn(3, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True)
    for_made, for_judged = torch.optim.Adam([made]), torch.optim.Adam([judged])
    for _ in range(steps):
        ((torch.ones(2, 3) @ made) @ judged).mean().backward()  # ok: all gradients are replaced after each step
        for_judged.step()
        replace_gradients([made] + [judged])
        ((torch.ones(2, 3) @ made) @ judged).std().backward()
        for_made.step()
        replace_gradients([made] + [judged])


def replace_gradients(tensors):
    for tensor in tensors:
        if tensor.grad is not None:
            old = tensor.grad.data
            tensor.grad = old.new().resize_as_(old).zero_()


def replaced_for_one_alone(steps):
    drawn, rated = torch.randn(3, 4, requires_grad=True), torch.randn(4, 1, requires_grad=True)
    for_drawn, for_rated = torch.optim.SGD([drawn]), torch.optim.SGD([rated])
    for _ in range(steps):
        (torch.rand(2, 3) @ drawn.detach() @ rated).sum().backward()  # GRD701
        for_rated.step()
        rated.grad = torch.zeros(4, 1)
        (torch.rand(2, 3) @ drawn @ rated).sum().neg().backward()
        for_drawn.step()
        drawn.grad = torch.zeros(3, 4)


def of_one_and_of_both():
    maker, reader = nn.Linear(3, 2), nn.Linear(2, 4)
    both = [*maker.parameters(), *reader.parameters()]
    return maker, reader, torch.optim.SGD(maker.parameters(), lr=0.1), torch.optim.SGD(both, lr=0.1)


def a_third_step_on_what_another_has_used(steps):
    maker, reader, of_maker, of_both = of_one_and_of_both()
    for _ in range(steps):
        of_maker.zero_grad()
        maker(torch.ones(5, 3)).mean().backward()
        of_maker.step()
        reader(maker(torch.ones(5, 3))).square().mean().backward()  # GRD701
        of_both.step()


def a_third_step_on_gradients_of_its_own(steps):
    maker, reader, of_maker, of_both = of_one_and_of_both()
    for _ in range(steps):
        of_maker.zero_grad()
        (maker(torch.ones(5, 3)) - 1).pow(2).sum().backward()
        of_maker.step()
        of_both.zero_grad()
        torch.stack([reader(maker(torch.rand(5, 3))).norm()]).sum().backward()  # ok: cleared before
        of_both.step()


a_third_step_on_what_another_has_used(3)
a_third_step_on_gradients_of_its_own(3)
